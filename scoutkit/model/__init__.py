"""The nouns: what the rooms hand each other. Frozen, without behaviour beyond reading their own fields.

Paths are POSIX and relative to the repository, lines are 1-based and inclusive, times are ISO 8601 in UTC
(`2026-11-29T12:00:00+00:00`), durations are seconds, money is US dollars.

A group of nouns is a module of its own: making a dataclass takes half a millisecond, and a search should not wait for
the nouns of missions.
"""

NOTE_TYPES = ("ask", "scout", "research", "decision", "note")
STATUSES = ("draft", "stable", "deprecated")
