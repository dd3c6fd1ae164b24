"""What happens in which order: each a story over several rooms, which meet only here."""
