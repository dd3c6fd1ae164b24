"""Flowcharts on a terminal."""

from __future__ import annotations

from scoutkit.agents.builtin.reporting.chain import label
from scoutkit.commands import charts

OURS = """Before.

```mermaid
flowchart TD
  n1["serve"]
  n2["LABEL"]
  e1(["GET /a"]) --> n1
  n1 --> n2
```

After.
""".replace("LABEL", label("map<int, \x1b[0m>[]"))


def test_calls_are_a_pair_a_line():
    said = charts.readable(OURS)
    assert said == "Before.\n\n```text\nGET /a → serve\nserve → map<int, #27;[0m>[]\n```\n\nAfter.\n"


def test_a_chart_of_another_kind_stays():
    other = OURS.replace("n1 --> n2", "n1 -.-> n2")
    assert charts.readable(other) == other
    assert charts.readable("```mermaid\npie\n```") == "```mermaid\npie\n```"
