"""Documented fields of option types, in all languages whose types have fields: name, line, value, first sentence."""

import pytest

from scoutkit.agents.builtin.reporting.fields import documented

WRITTEN = {
    "python": '''
class ShopConfig(TypedDict, total=False):
    """How a shop is run.

    Attributes:
        doors: How many doors are open.
    """

    extra: Extra | None
    """
    Whether to allow extra orders. Defaults to `'no'`.
    """

    limit: int = 20  # Orders a day at most
    depth: int = Field(
        default=3, description="How deep a drawer is"
    )
    doors: int = 2
    KIND: ClassVar[str] = "shop"  # What kind of thing it is

    def open(self) -> None:
        """Opens the shop for all."""
''',
    "go": """
// ShopOptions are options.
type ShopOptions struct {
	// Extra allows extra orders. It is
	// off where the bank is closed.
	Extra bool `json:"extra"`

	Limit int // orders a day at most
	plain int
}
""",
    "rust": """
pub struct ShopConfig {
    /// Whether to allow extra orders.
    #[serde(default)]
    pub extra: bool,
    limit: usize, // orders a day at most
}
""",
    "typescript": """
export interface ShopOptions extends Other {
  /**
   * Whether to allow extra orders.
   * @default false
   */
  extra?: boolean
  // orders a day at most
  limit?: number,
  /** Called when a customer leaves. */
  onLeave?(name: string): void
  nested?: {
    /** This is not a field of it. */
    inner: string
  }
}
""",
    "java": """
public class ShopConfiguration {
    /** A constant of the shop. */
    private static final int DOORS = 2;
    /** Whether to allow extra orders. */
    private boolean extra = true;

    /** Opens the shop for all. */
    public void open() {
        int inner = 3; // not a field of it
    }
}
""",
    "kotlin": """
data class ShopOptions(
  /** Whether to allow extra orders. */
  val extra: Boolean = false,
  val limit: Int = 20, // orders a day at most
)
""",
    "csharp": """
public class ShopOptions
{
    /// <summary>
    /// Whether to allow extra orders.
    /// </summary>
    public bool Extra { get; set; } = true;
}
""",
    "c": """
struct shop_options {
	/* Whether to allow extra orders. */
	unsigned extra:1;
	const char *limit; /* orders a day at most */
};
""",
}
FOUND = {
    "python": [
        ("extra", 9, "", "Whether to allow extra orders."),
        ("limit", 14, "20", "Orders a day at most"),
        ("depth", 15, "Field(", "How deep a drawer is"),
        ("doors", 18, "2", "How many doors are open."),
    ],
    "go": [("Extra", 6, "", "Extra allows extra orders."), ("Limit", 8, "", "orders a day at most")],
    "rust": [("extra", 5, "", "Whether to allow extra orders."), ("limit", 6, "", "orders a day at most")],
    "typescript": [
        ("extra", 7, "", "Whether to allow extra orders."),
        ("limit", 9, "", "orders a day at most"),
        ("onLeave", 11, "", "Called when a customer leaves."),
    ],
    "java": [("extra", 6, "true", "Whether to allow extra orders.")],
    "kotlin": [
        ("extra", 4, "false", "Whether to allow extra orders."),
        ("limit", 5, "20", "orders a day at most"),
    ],
    "csharp": [("Extra", 7, "true", "<summary> Whether to allow extra orders.")],
    "c": [("extra", 4, "", "Whether to allow extra orders."), ("limit", 5, "", "orders a day at most")],
}


@pytest.mark.parametrize("language", WRITTEN)
def test_fields_with_what_is_said_of_them(language):
    found = list(documented(WRITTEN[language].split("\n"), language))
    assert [(one.name, one.line, one.value, one.says) for one in found] == FOUND[language]
    assert {one.owner.lower().replace("_", "").rstrip("s").removeprefix("shop") for one in found} <= {
        "config",
        "option",
        "configuration",
    }


@pytest.mark.parametrize(
    "text",
    [
        "class Shop:\n    limit: int = 20  # orders a day at most\n",  # its name says nothing of options
        "class ShopOptions:\n    limit: int = 20  # noqa: some thing\n",
        "class ShopOptions:\n    limit: int = 20\n",
        "class ShopOptions:\n    # v3\n    limit: int = 20\n",  # no sentence
        'class ShopOptions:\n    """\n    limit: int = 20\n    """\n    # What a shop does.\n\n    door: int = 2\n',
    ],
)
def test_what_is_no_documented_option(text):
    assert list(documented(text.split("\n"), "python")) == []
