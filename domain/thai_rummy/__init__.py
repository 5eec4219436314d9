"""Thai Rummy: two to four seats, melds laid in front of oneself, every hand ends with a discard (RULES.md)."""
