"""Mission to run: worktrees, the journal, the runner."""
