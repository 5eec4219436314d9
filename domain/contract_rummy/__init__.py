"""Contract Rummy: three to eight seats, seven contracts, and buying while the clock runs (RULES.md)."""
