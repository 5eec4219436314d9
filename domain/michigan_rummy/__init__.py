"""Michigan Rummy: two to eight seats, melds that score as they are laid (RULES.md)."""
