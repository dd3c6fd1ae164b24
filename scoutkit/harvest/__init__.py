"""What a run shows by itself: from its events and its worktree to evidence. Changes nothing of either."""
