"""Cards, packs and faces (RULES.md of each game; ranks, suits and packs are common to all).

A natural card is rank + suit + pack, "QH1" for the queen of hearts of pack 1; its *face* drops the pack, "QH". Jokers
are "*1", "*2", … numbered through the whole pack. Every card of a game is unique.
"""

from typing import NewType

Card = NewType("Card", str)
Seat = NewType("Seat", int)
Ms = NewType("Ms", int)  # whole milliseconds; in rules: of table time

RANKS = "A23456789TJQK"
SUITS = "SHDC"
POSITION = {rank: i for i, rank in enumerate(RANKS, 1)}  # ace low; high it stands at 14
ACE_HIGH = 14


def is_joker(card: str) -> bool:
    """Whether the card is a joker."""
    return card[0] == "*"


def pack(decks: int = 1, jokers: int = 0) -> list[Card]:
    """A fresh pack in its fixed order: deck by deck, suits S H D C, ranks A to K, all jokers last.

    >>> pack(1, 2)[:2], pack(1, 2)[-2:], len(pack(2, 4))
    (['AS1', '2S1'], ['*1', '*2'], 108)
    """
    naturals = [Card(f"{r}{s}{d}") for d in range(1, decks + 1) for s in SUITS for r in RANKS]
    return naturals + [Card(f"*{j}") for j in range(1, jokers + 1)]


def face(card: str) -> str:
    """The card without its pack: "QH1" gives "QH", any joker "*"."""
    return "*" if card[0] == "*" else card[:2]


def is_card(text: str) -> bool:
    """Whether the text names a card: "QH1", "TD2", "*3"."""
    if text[:1] == "*":
        number = text[1:]
    else:
        if len(text) < 3 or text[0] not in RANKS or text[1] not in SUITS:
            return False
        number = text[2:]
    return number.isascii() and number.isdigit() and number[0] != "0" and len(number) < 3
