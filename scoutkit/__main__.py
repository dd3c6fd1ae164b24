"""`python -m scoutkit` is `scoutkit`."""

from scoutkit.commands import main

main()
