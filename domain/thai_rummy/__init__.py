"""Thai Rummy (RULES.md)."""
