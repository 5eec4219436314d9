"""Rummy: two to four seats, one deck, first to a hundred, a deadline for every turn (RULES.md)."""
