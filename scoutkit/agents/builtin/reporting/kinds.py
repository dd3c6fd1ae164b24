"""What kind of question it is, by how it is put, in English and Chinese: it decides in which order a report answers."""

from __future__ import annotations

import re
from enum import StrEnum

from scoutkit import words
from scoutkit.agents.builtin.ranking.question import Question


class Kind(StrEnum):
    """The value is what JSON says."""

    TRACE = "traceback"  # a pasted traceback
    NAME = "name"  # one word or one identifier
    BREAKS = "what breaks"  # what would break if it changed
    CALLS = "what calls"
    HAPPENS = "what happens"
    WHY = "why"
    CONFIG = "which setting"
    WHERE = "where"
    HOW = "how"


_CHANGES = r"(?:add|alter|bump|chang|delet|drop|modif|mov|refactor|remov|renam|replac|rewrit|tweak|upgrad|touch)\w*"
_IF = r"(?:if|when|by|once)"
_CONFIG = (
    r"(?:settings?|config(?:uration)?s?|options?|flags?|env(?:ironment)?(?: var(?:iable)?s?)?|system propert(?:y|ies)"
    r"|knobs?|switch|toggle)"
)
_PLACE = r"(?:file|module|class|function|method|package|component|part|place|folder|directory|crate|struct|type)s?"
_TABLE = {  # of two that begin at the same word, the first counts
    Kind.BREAKS: (
        rf"\bwhat(?:ever)?\b(?:\s+\w+){{0,4}}?\s+(?:break|fail|affect|impact|stop work)\w*\b.*\b{_IF}\b.*?\b{_CHANGES}",
        r"\b(?:what|which|who|where)\b(?:\s+\w+){0,4}?\s+(?:breaks|broken|affected|impacted)\b",
        rf"\b(?:impact|effects?|consequences?|blast radius|risks?)\b(?:\s+\w+){{0,2}}?\s+(?:of|{_IF})\b.*?\b{_CHANGES}",
        rf"\b(?:can|could|may|should)\s+(?:i|we|you|one)\s+(?:safely\s+)?{_CHANGES}",
        rf"\b(?:is|would)\s+it\s+(?:be\s+)?safe\s+to\s+{_CHANGES}",
        rf"\bwhat\s+(?:else\s+)?(?:must|needs? to|has to|have to|do i have to|should)\b.*\bif\b.*?\b{_CHANGES}",
        r"(?:修改|更改|改动|改变|删除|移除|重命名|改|删|去掉).{0,40}(?:影响|破坏|出错|坏|崩|失效)|会?影响(?:到)?(?:哪些|什么|哪里)|影响范围",
    ),
    Kind.CALLS: (
        r"\b(?:what|which|who|where)\b(?:\s+[\w.]+){0,3}?(?<!\bthe)(?<!\ba)(?<!\beach)\s+(?:calls?|invokes?|uses|references|depends?\s+on|instantiates|constructs)\b",
        r"\b(?:what|which|who|where)\b(?:\s+\S+){1,8}?\s+(?:called|invoked|used|referenced|instantiated|constructed)(?:\s+from|\s+by|\s*[?.]|\s*$)",
        r"\b(?:all|any|find|list|show)\b(?:\s+\w+){0,3}?\s+(?:callers|usages?|references|call sites|uses)\b",
        r"\b(?:callers|usages|references|call sites)\s+(?:of|to)\b",
        r"(?:在)?(?:哪里|哪儿|何处|哪些地方|什么地方)(?:会)?被?(?:调用|使用|引用|用到)|(?:被)?谁(?:会)?(?:调用|使用)|哪些.{0,12}(?:调用|使用|依赖|引用)|的调用者",
    ),
    Kind.HAPPENS: (
        r"\bwhat\s+(?:exactly\s+|actually\s+|all\s+)?(?:happens|occurs|goes\s+on|is\s+done|takes\s+place)\b",
        r"\bwhat\s+(?:does|do|will|would)\b.*\bdo\s+(?:when|if|after|once|with|on)\b",
        r"\b(?:walk|take)\s+me\s+through\b|\bstep[ -]by[ -]step\b|\bwhat\s+if\b",
        r"\b(?:life\s?cycle|flow|path|sequence|journey)\s+(?:of|from|when|for)\b",
        r"\b(?:trace|follow)\s+(?:the|a|an|how|what)\b",
        r"当.{1,60}?时|(?:会)?发生(?:了)?什么|会怎么?样|(?:执行|调用|处理|请求)(?:的)?(?:过程|流程|路径)",
    ),
    Kind.WHY: (
        r"\bwhy\b|\bhow\s+come\b|\bwhat\s+(?:motivated|is\s+the\s+motivation)",
        r"\b(?:the|a|any)\s+(?:\w+\s+)?(?:reason|rationale|motivation|justification)s?\b",
        r"为什么|为何|为啥|(?:什么|的)(?:原因|理由)|出于什么",
    ),
    Kind.CONFIG: (
        rf"\b(?:which|what)\s+(?:(?!{_PLACE}\b)\w+\s+){{0,3}}?{_CONFIG}\b",
        rf"\b(?:is|are)\s+there\s+(?:\w+\s+){{0,3}}?{_CONFIG}\b",
        r"\bhow\s+(?:do|can|could|would|should|to)\s+(?:(?:i|we|you|one|users?)\s+)?(?:configure|set|enable|disable|turn|override|increase|limit|tune)\b",
        r"\bwhere\b(?:\s+\S+){0,8}?\s+(?:configured|configurable)\b",
        r"\b(?:default|maximum|minimum)\s+(?:value|setting|timeout|size|limit|number|amount|count)s?\s+(?:of|for)\b|\bwhat\s+(?:is|are)\s+the\s+defaults?\b",
        r"(?:哪个|哪些|什么|有没有|是否有)(?:(?!函数|方法|文件|类|模块|代码).){0,12}(?:配置|设置|选项|参数|环境变量|开关)|(?:如何|怎么|怎样)(?:去)?(?:配置|设置|启用|禁用|开启|关闭|调整)|默认值",
    ),
    Kind.WHERE: (
        rf"\bwhere\b|\b(?:which|what)\s+(?:\w+\s+){{0,2}}?{_PLACE}\b|^\W*(?:find|locate|show\s+me|point\s+me)\b",
        r"在?(?:哪里|哪儿|何处|什么地方|什么位置)|哪个(?:文件|函数|方法|类|模块|包)|哪(?:些|几个)(?:文件|函数|方法|类|模块)|位于|找到",
    ),
    Kind.HOW: (
        r"\bhow\b|\b(?:explain|describe)\b",
        r"如何|怎么|怎样|怎麼|解释|说明|介绍|原理|机制|是什么",
    ),
}
_COMPILED = {kind: re.compile("|".join(f"(?:{one})" for one in rows), re.IGNORECASE) for kind, rows in _TABLE.items()}
_TRACEBACK = re.compile(
    r"Traceback \(most recent|^[^\S\n]*at \S+.*[:(]|^panic:|^goroutine \d"
    r"|^[^\S\n]*File \"|(?:Error|Exception|Warning)\b.*:",
    re.MULTILINE,
)
_WEAK = re.compile(r"\bwhat\s+(?:is|are|does|do)\b", re.IGNORECASE)  # HOW where nothing else is said
_ASKING = frozenset(
    re.findall(
        r"\w+",
        """
    affected affects break breaking breaks broken call called caller callers calls config configure configured declared
    default defined describe explain find flag flags flow happen happens impact invoke invoked invokes knob lifecycle
    list locate located
    option options rationale reason reference referenced references sequence setting settings show toggle trace usage
    usages use used uses variable variables walk controls environment property properties sets system value""",
    )
)
_PARTICLES = re.compile(r"^[的是被]+(?=\w{2})|[的了吗呢]+$|^[的是被了吗呢]+$")
_FILLING = re.compile(r"实现|工作|处理|负责|代码|这个|那个|我们|函数|方法|模块|文件|功能|逻辑|使用|进行|以及")
_LOOKED_AT = 2000  # characters
_FEW = 2  # words of a question that only names something


def kind_of(question: Question) -> Kind:
    """The kind that its first telling words say; WHERE for what is no question at all, such as a pasted issue."""
    text = question.text[:_LOOKED_AT]
    if len(question.frames) > 1 or (question.frames and _TRACEBACK.search(question.text)):
        return Kind.TRACE
    found = [(match.start(), kind) for kind, rule in _COMPILED.items() if (match := rule.search(text))]
    if found:
        return min(found, key=lambda one: one[0])[1]
    if _WEAK.search(text):
        return Kind.HOW
    return Kind.NAME if 0 < len(text.split()) <= _FEW and question.names else Kind.WHERE


def asked_for(word: str) -> str:
    """A word of a question without what in it only asks: of `在哪里签名` its last two; "" where nothing is left."""
    if word.isascii():
        return "" if word.lower() in _ASKING else word
    for rule in (*_COMPILED.values(), _FILLING):
        word = rule.sub(" ", word)
    kept = [_PARTICLES.sub("", part) for part in word.split()]
    return max((part for part in kept if len(part) > 1 or not words.is_cjk(part)), key=len, default="")
