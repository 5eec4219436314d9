"""Contract Rummy's planner on rich hands: how long a hint and a careful arrangement take, of one core.

A rich hand is what a seat of eight may hold after buying for a long time: 13 to 22 cards of four packs, up to all seven
jokers, and in half of the cases melds on the table with jokers to win. No two hands are the same.
"""

import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from domain.cards import Card, Seat
from domain.contract_rummy.contracts import LAST, STYLE, contract, fresh_pack
from domain.contract_rummy.plan import best, useful_swaps
from domain.contract_rummy.suggest import arranged, suggest
from domain.melds import Meld, laid
from tests.bench import Row, percentile

HANDS = 10_000
SECONDS = 25.0  # of the core for each of the two; then fewer hands are measured, and the row says how many
SEATS = 8
MEAN, LONGEST = 11.0, 190.0  # ms: the house program's figures
TABLE = ("4H1 5H1 *6 7H1", "9C1 TC1 JC1 *7", "2S1 3S1 4S1 5S1", "QD1 QH1 QS1")


def rows() -> list[Row]:
    """Mean, 99th percentile and longest, in ms, of a suggestion and of an arrangement."""
    return [*_measured("suggest", _suggest), *_measured("arrange", _arrange)]


def _measured(name: str, work: Callable[[tuple[Card, ...], tuple[Meld, ...], int], Any]) -> list[Row]:
    spent: list[float] = []
    began = time.process_time()
    for hand, melds, deals in hands(random.Random(1)):
        start = time.process_time_ns()
        work(hand, melds, deals)
        spent.append((time.process_time_ns() - start) / 1e6)
        if len(spent) == HANDS or time.process_time() - began > SECONDS:
            break
    what = f"Contract Rummy, {name}, {len(spent):,} rich hands"
    return [
        Row(f"{what}, mean", sum(spent) / len(spent), "ms", "house program", MEAN, most=MEAN),
        Row(f"{what}, p99", percentile(spent, 0.99), "ms"),
        Row(f"{what}, longest", max(spent), "ms", "house program", LONGEST, most=LONGEST),
    ]


def hands(source: random.Random) -> Iterator[tuple[tuple[Card, ...], tuple[Meld, ...], int]]:
    """Rich hands without end: cards, melds on the table, which hand of the game it is."""
    table = tuple(laid(tuple(map(Card, text.split())), STYLE, id=i, owner=Seat(1)) for i, text in enumerate(TABLE, 1))
    lying = {card for meld in table for card in meld.cards}
    while True:
        deals = source.randrange(1, LAST + 1)
        melds = table if deals < LAST and source.random() < 0.5 else ()
        pack = [card for card in fresh_pack(SEATS) if not melds or card not in lying]
        jokers = [card for card in pack if card[0] == "*"]
        held = source.sample(jokers, source.randrange(len(jokers) + 1))
        naturals = source.sample([card for card in pack if card[0] != "*"], source.randrange(13, 23) - len(held))
        yield (*held, *naturals), melds, deals


def _suggest(hand: tuple[Card, ...], melds: tuple[Meld, ...], deals: int) -> None:
    """What a player is told by itself: how far it is, what it can lay, which jokers would help."""
    suggest(hand, melds, deals)
    if deals < LAST:
        wanted = contract(deals)
        best(hand, wanted.sets, wanted.runs)
        useful_swaps(hand, melds, wanted.sets, wanted.runs)


def _arrange(hand: tuple[Card, ...], melds: tuple[Meld, ...], deals: int) -> None:
    arranged(hand, melds, deals, SEATS, hand)
