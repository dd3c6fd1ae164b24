"""Finding notes: SQLite answers, Whoosh helps."""
