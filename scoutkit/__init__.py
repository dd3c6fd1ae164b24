"""scoutkit: send throwaway agents to find things out, keep what they found as checked notes."""

__version__ = "0.1.0"
