"""Which language a file is in, and what definitions and calls look like in it. Data only: symbols.py and calls.py read.

`DEFINITIONS` holds one tree-sitter query a language. A capture named after a kind (`@function`, `@class`, …) is a
definition; `@name` is its name, which may carry its owner (`Reply.prototype.send`, `Foo::bar`, `M.run`), `@receiver`
names the owner apart (Go), `@inner` and `@wrap` say that a definition's range is that of the node around it,
`@attribute` marks decorators that stand beside it, `@comment` comments, `@docstring` Python's documentation.

`EMBEDDED` names languages whose definitions are those of the scripts in them.
"""

from __future__ import annotations

import re

_EXTENSIONS = {
    "python": "py pyi pyw",
    "javascript": "js jsx mjs cjs",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp cu cuh",
    "csharp": "cs",
    "ruby": "rb rake gemspec ru",
    "php": "php phtml php5 inc",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc sbt",
    "bash": "sh bash zsh ksh bats",
    "lua": "lua",
    "elixir": "ex exs",
    "sql": "sql",
    "markdown": "md markdown mdx mkd",
    "rst": "rst",
    "css": "css",
    "scss": "scss less",
    "html": "html htm xhtml",
    "vue": "vue",
    "svelte": "svelte",
    "yaml": "yaml yml",
    "toml": "toml",
    "json": "json json5 jsonc webmanifest",
    # known by name, without definitions
    "asciidoc": "adoc asciidoc",
    "clojure": "clj cljs cljc",
    "dart": "dart",
    "erlang": "erl hrl",
    "fortran": "f90 f95 f03 f",
    "graphql": "graphql gql",
    "groovy": "groovy gradle",
    "haskell": "hs",
    "ini": "ini cfg conf properties",
    "julia": "jl",
    "nix": "nix",
    "objc": "m mm",
    "ocaml": "ml mli",
    "perl": "pl pm t",
    "powershell": "ps1 psm1",
    "proto": "proto",
    "r": "r",
    "sass": "sass",
    "solidity": "sol",
    "tcl": "tcl",
    "vim": "vim",
    "xml": "xml",
    "zig": "zig",
}
_BY_EXTENSION = {extension: language for language, names in _EXTENSIONS.items() for extension in names.split()}
_BY_NAME = {
    "rakefile": "ruby",
    "gemfile": "ruby",
    "vagrantfile": "ruby",
    "podfile": "ruby",
    "guardfile": "ruby",
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "cmakelists.txt": "cmake",
    ".bashrc": "bash",
    ".zshrc": "bash",
    ".profile": "bash",
}
_INTERPRETERS = {
    "python": "python",
    "node": "javascript",
    "deno": "typescript",
    "ruby": "ruby",
    "php": "php",
    "lua": "lua",
    "bash": "bash",
    "sh": "bash",
    "dash": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "perl": "perl",
    "tclsh": "tcl",
    "elixir": "elixir",
    "scala": "scala",
    "kotlin": "kotlin",
    "swift": "swift",
}
_CPP_HEADER = re.compile(r"^\s*(?:class\s+\w+|namespace\b|template\s*<|public:|private:|using\s+\w)", re.MULTILINE)


def language_of(path: str, text: str = "") -> str | None:
    """A file's language by its name, or by a `#!` line in `text`; None where neither tells."""
    name = path.rsplit("/", 1)[-1].lower()
    language = _BY_NAME.get(name) or (_BY_EXTENSION.get(name.rsplit(".", 1)[1]) if "." in name else None)
    if language == "c" and name.endswith(".h") and _CPP_HEADER.search(text[:20_000]):
        return "cpp"
    if language is None and text.startswith("#!"):
        words = re.findall(r"[a-z]+", text.split("\n", 1)[0].lower())
        return next((_INTERPRETERS[word] for word in words if word in _INTERPRETERS), None)
    return language


_LEVELS = 4  # of keys in a file of data: what lies deeper is values


def _keys(pattern: str, within: str) -> str:
    """One pattern for each level of keys: `{}` in `within` stands for what a level holds."""
    patterns = [pattern]
    for _ in range(_LEVELS - 1):
        patterns.append(within.format(patterns[-1]))
    return "\n".join(patterns)


_FUNCTION = "[(arrow_function) (function_expression) (generator_function)]"
_TESTS = '"it" "test" "describe" "suite" "context" "specify" "feature" "scenario"'

_JAVASCRIPT = f"""
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name value: {_FUNCTION}) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(assignment_expression left: [(identifier) (member_expression)] @name right: {_FUNCTION}) @function
(assignment_expression left: [(identifier) (member_expression)] @name right: (class)) @class
(pair key: (property_identifier) @name value: {_FUNCTION}) @method
(pair key: (property_identifier) @name value: (object [(method_definition) (pair value: {_FUNCTION})])) @property
(call_expression function: [(identifier) @_f (member_expression object: (identifier) @_f)]
  arguments: (arguments . (string (string_fragment) @name)) (#any-of? @_f {_TESTS})) @test
(program (lexical_declaration (variable_declarator name: (identifier) @name) @constant))
(program (variable_declaration (variable_declarator name: (identifier) @name) @constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @constant)))
(export_statement "default" @name value: {_FUNCTION}) @function
(export_statement "default" @name value: (class)) @class
(export_statement declaration: (_) @inner) @wrap
(lexical_declaration . (variable_declarator) @inner .) @wrap
(variable_declaration . (variable_declarator) @inner .) @wrap
(expression_statement (_) @inner) @wrap
(decorator) @attribute
(comment) @comment
"""

_TYPESCRIPT = (
    _JAVASCRIPT
    + f"""
(public_field_definition name: (_) @name value: {_FUNCTION}) @method
(abstract_class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(function_signature name: (_) @name) @function
(ambient_declaration (_) @inner) @wrap
"""
)

_C = """
(function_definition declarator: (function_declarator declarator: (_) @name)) @function
(function_definition declarator: (pointer_declarator (function_declarator declarator: (_) @name))) @function
(function_definition declarator:
  (pointer_declarator (pointer_declarator (function_declarator declarator: (_) @name)))) @function
(struct_specifier name: (_) @name body: (_)) @struct
(union_specifier name: (_) @name body: (_)) @struct
(enum_specifier name: (_) @name body: (_)) @enum
(type_definition type: (struct_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (union_specifier body: (_)) declarator: (type_identifier) @name) @struct
(type_definition type: (enum_specifier body: (_)) declarator: (type_identifier) @name) @enum
(preproc_function_def name: (_) @name) @macro
(preproc_def name: (_) @name value: (_)) @constant
(translation_unit (declaration declarator: (init_declarator declarator: [(identifier) @name
  (array_declarator declarator: (identifier) @name) (pointer_declarator declarator: (identifier) @name)])) @constant)
(comment) @comment
"""

DEFINITIONS = {
    "python": """
(function_definition name: (_) @name) @function
(class_definition name: (_) @name) @class
(module (expression_statement (assignment left: (identifier) @name)) @constant)
(decorated_definition definition: (_) @inner) @wrap
(block . (expression_statement . (string) @docstring))
(comment) @comment
""",
    "javascript": _JAVASCRIPT
    + f"""
(field_definition property: (_) @name value: {_FUNCTION}) @method
""",
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "go": """
(function_declaration name: (_) @name) @function
(method_declaration receiver: (_) @receiver name: (_) @name) @method
(type_spec name: (_) @name type: (struct_type)) @struct
(type_spec name: (_) @name type: (interface_type)) @interface
(type_spec name: (_) @name) @type
(type_alias name: (_) @name) @type
(source_file (const_declaration (const_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec name: (_) @name) @constant))
(source_file (var_declaration (var_spec_list (var_spec name: (_) @name) @constant)))
(type_declaration . (_) @inner .) @wrap
(const_declaration . (_) @inner .) @wrap
(var_declaration . (var_spec) @inner .) @wrap
(comment) @comment
""",
    "rust": """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @struct
(union_item name: (_) @name) @struct
(enum_item name: (_) @name) @enum
(trait_item name: (_) @name) @trait
(impl_item type: (_) @name) @impl
(mod_item name: (_) @name body: (_)) @module
(type_item name: (_) @name) @type
(macro_definition name: (_) @name) @macro
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @constant
(attribute_item) @attribute
(line_comment) @comment
(block_comment) @comment
""",
    "java": """
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(compact_constructor_declaration name: (_) @name) @constructor
(annotation_type_element_declaration name: (_) @name) @method
(enum_constant name: (_) @name body: (_)) @class
(field_declaration (modifiers "static" "final") . type: (_) . declarator: (variable_declarator name: (_) @name) .)
  @constant
(constant_declaration declarator: (variable_declarator name: (_) @name) .) @constant
(line_comment) @comment
(block_comment) @comment
""",
    "c": _C,
    "cpp": _C
    + """
(function_definition declarator: (reference_declarator (function_declarator declarator: (_) @name))) @function
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(concept_definition name: (_) @name) @type
(alias_declaration name: (_) @name) @type
(function_definition declarator: (operator_cast "operator" @name)) @function
(function_definition type: (class_specifier name: (_) !body) declarator: (identifier) @name) @class
(template_declaration [(class_specifier) (struct_specifier) (function_definition) (alias_declaration)] @inner) @wrap
""",
    "csharp": """
(namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @struct
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @constructor
(property_declaration name: (_) @name) @property
(local_function_statement name: (_) @name) @function
(event_declaration name: (_) @name) @property
(event_field_declaration (variable_declaration . type: (_) . (variable_declarator name: (_) @name) .)) @property
(indexer_declaration "this" @name) @property
(operator_declaration "operator" @name) @method
(destructor_declaration name: (_) @name) @destructor
(field_declaration (modifier) @_f (variable_declaration . type: (_) . (variable_declarator name: (_) @name) .)
  (#any-of? @_f "const" "static")) @constant
(comment) @comment
""",
    "ruby": f"""
(module name: (_) @name) @module
(class name: (_) @name) @class
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(assignment left: (constant) @name) @constant
(call method: (identifier) @_f arguments: (argument_list . (string (string_content) @name))
  block: (_) (#any-of? @_f {_TESTS} "should")) @test
(call receiver: (constant) @_f arguments: (argument_list . [(constant) (scope_resolution)] @name) block: (_)
  (#eq? @_f "RSpec")) @test
(call method: (identifier) @_f arguments: (argument_list . (simple_symbol) @name (lambda)) (#eq? @_f "scope")) @function
(call method: (identifier) @_f arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)
  (pair key: [(hash_key_symbol) (simple_symbol) (string)] @name)]) block: (_)
  (#any-of? @_f "task" "define_method" "define_singleton_method")) @function
(call method: (identifier) @_f arguments: (argument_list . [(simple_symbol) @name (string (string_content) @name)])
  block: (_) (#eq? @_f "namespace")) @module
(comment) @comment
""",
    "php": """
(class_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(trait_declaration name: (_) @name) @trait
(enum_declaration name: (_) @name) @enum
(method_declaration name: (_) @name) @method
(function_definition name: (_) @name) @function
(assignment_expression left: (variable_name (name) @name) right: [(anonymous_function) (arrow_function)]) @function
(const_declaration (const_element . (name) @name)) @constant
(enum_case name: (_) @name) @constant
(property_declaration . (_)* (property_element name: (variable_name (name) @name)) .) @constant
(program (return_statement (array_creation_expression (array_element_initializer . (string) @name (_)) @key)))
(program (return_statement (array_creation_expression (array_element_initializer . (encapsed_string) @name (_)) @key)))
(comment) @comment
""",
    "kotlin": """
(class_declaration name: (_) @name) @class
(object_declaration name: (_) @name) @class
(function_declaration name: (_) @name) @function
(type_alias type: (_) @name) @type
(secondary_constructor "constructor" @name) @constructor
(source_file (property_declaration (variable_declaration . (identifier) @name)) @constant)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @constant)
(enum_entry . (identifier) @name (class_body)) @class
(line_comment) @comment
(block_comment) @comment
""",
    "swift": """
(class_declaration name: (_) @name) @class
(protocol_declaration name: (_) @name) @interface
(function_declaration name: (simple_identifier) @name) @function
(protocol_function_declaration name: (simple_identifier) @name) @function
(init_declaration name: "init" @name) @constructor
(typealias_declaration name: (type_identifier) @name) @type
(deinit_declaration "deinit" @name) @method
(subscript_declaration "subscript" @name) @method
(source_file (property_declaration name: (pattern bound_identifier: (_) @name)) @constant)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name) computed_value: (_)) @property)
(class_body (property_declaration name: (pattern bound_identifier: (_) @name)) @constant)
(comment) @comment
(multiline_comment) @comment
""",
    "scala": """
(object_definition name: (_) @name) @class
(class_definition name: (_) @name) @class
(trait_definition name: (_) @name) @trait
(enum_definition name: (_) @name) @enum
(function_definition name: (_) @name) @function
(function_declaration name: (_) @name) @function
(type_definition name: (_) @name) @type
(given_definition name: (_) @name) @constant
(package_object name: (_) @name) @class
(template_body (val_definition pattern: (identifier) @name) @constant)
(comment) @comment
(block_comment) @comment
""",
    "bash": """
(function_definition name: (_) @name) @function
(program (variable_assignment name: (_) @name) @constant)
(comment) @comment
""",
    "lua": """
(function_declaration name: (_) @name) @function
(assignment_statement (variable_list name: (_) @name) (expression_list value: (function_definition))) @function
(field name: (identifier) @name value: (function_definition)) @method
(variable_declaration (assignment_statement) @inner) @wrap
(comment) @comment
""",
    "elixir": """
(call target: (identifier) @_f (arguments . (alias) @name) (#any-of? @_f "defmodule" "defprotocol" "defimpl")) @module
(call target: (identifier) @_f (arguments . [(call target: (identifier) @name) (identifier) @name
  (binary_operator left: (call target: (identifier) @name))])
  (#any-of? @_f "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate")) @function
(call target: (identifier) @name (#eq? @name "defstruct")) @struct
(unary_operator operand: (call target: (identifier) @_f (#any-of? @_f "doc" "spec" "impl" "deprecated"))) @comment
(call target: (identifier) @_f (arguments . (string (quoted_content) @name)) (#any-of? @_f "test" "describe")) @test
(comment) @comment
""",
    "sql": """
(create_table (object_reference) @name) @table
(create_view (object_reference) @name) @table
(create_materialized_view (object_reference) @name) @table
(create_function . (_)* . (object_reference) @name) @function
(create_trigger (keyword_trigger) . (object_reference) @name) @function
(create_index column: (_) @name) @index
(create_type (object_reference) @name) @type
(create_sequence (object_reference) @name) @constant
(create_schema (identifier) @name) @module
(comment) @comment
(marginalia) @comment
""",
    "css": """
[(rule_set) (media_statement) (supports_statement) (keyframes_statement) (at_rule (block))] @name @rule
(declaration (property_name) @name (#match? @name "^--")) @constant
(comment) @comment
""",
    "scss": """
[(rule_set) (media_statement) (supports_statement) (keyframes_statement) (at_rule (block)) (placeholder)] @name @rule
(mixin_statement (name) @name) @function
(function_statement (name) @name) @function
(declaration (property_name) @name (#match? @name "^--")) @constant
(stylesheet (declaration (variable_name) @name) @constant)
(comment) @comment
(single_line_comment) @comment
""",
    "html": """
(element [(start_tag (attribute (attribute_name) @_f [(attribute_value) @name
  (quoted_attribute_value (attribute_value) @name)])) (self_closing_tag (attribute (attribute_name) @_f
  [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))] (#eq? @_f "id")) @element
(script_element (start_tag (attribute (attribute_name) @_f [(attribute_value) @name
  (quoted_attribute_value (attribute_value) @name)])) (#eq? @_f "id")) @element
(comment) @comment
""",
    "yaml": "\n".join(
        f"(document (block_node {pattern}))"
        for pattern in _keys(
            "(block_mapping (block_mapping_pair key: (_) @name) @key)",
            "(block_mapping (block_mapping_pair value: (block_node {})))",
        ).split("\n")
    )
    + "(comment) @comment",
    "toml": """
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @key
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @key
(document (pair . (_) @name) @key)
(table (pair . (_) @name) @key)
(table_array_element (pair . (_) @name) @key)
(comment) @comment
""",
    "json": "\n".join(
        f"(document {pattern})"
        for pattern in _keys("(object (pair key: (string) @name) @key)", "(object (pair value: {}))").split("\n")
    )
    + "(comment) @comment",
    "markdown": "[(atx_heading) (setext_heading)] @heading",
    "rst": "(section (title) @heading)",
}

EMBEDDED = {"html": "javascript", "vue": "typescript", "svelte": "typescript"}

CALLS = {
    "python": """
(call function: [(identifier) @call (attribute attribute: (identifier) @call) (list_splat (identifier) @call)])
""",
    "javascript": """
(call_expression function: [(identifier) @call (member_expression property: (_) @call)])
(new_expression constructor: (identifier) @call)
""",
    "go": "(call_expression function: [(identifier) @call (selector_expression field: (_) @call)])",
    "rust": """
(call_expression function: [(identifier) @call (field_expression field: (_) @call) (scoped_identifier name: (_) @call)
  (generic_function function: [(identifier) @call (field_expression field: (_) @call)])])
(macro_invocation macro: (identifier) @call)
""",
    "java": """
(method_invocation name: (_) @call)
(object_creation_expression type: (type_identifier) @call)
""",
    "c": "(call_expression function: [(identifier) @call (field_expression field: (_) @call)])",
    "cpp": """
(call_expression function: [(identifier) @call (field_expression field: (field_identifier) @call)
  (qualified_identifier name: (identifier) @call) (template_function name: (identifier) @call)
  (qualified_identifier name: (qualified_identifier name: (identifier) @call))])
(new_expression type: (type_identifier) @call)
""",
    "csharp": """
(invocation_expression function: [(identifier) @call (member_access_expression name: (identifier) @call)])
(object_creation_expression type: (identifier) @call)
""",
    "ruby": "(call method: (_) @call)",
    "php": """
(function_call_expression function: [(name) @call (qualified_name (name) @call)])
(member_call_expression name: (name) @call)
(scoped_call_expression name: (name) @call)
(object_creation_expression (name) @call)
""",
    "kotlin": "(call_expression . [(identifier) @call (navigation_expression (identifier) @call .)])",
    "swift": """
(call_expression . [(simple_identifier) @call
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @call))])
""",
    "scala": """
(call_expression function: [(identifier) @call (field_expression field: (identifier) @call)])
(instance_expression (type_identifier) @call)
""",
    "bash": "(command name: (command_name (word) @call))",
    "lua": """
(function_call name: [(identifier) @call (dot_index_expression field: (_) @call)
  (method_index_expression method: (_) @call)])
""",
    "elixir": "(call target: [(identifier) @call (dot right: (identifier) @call)])",
}
CALLS["typescript"] = CALLS["tsx"] = CALLS["javascript"]
