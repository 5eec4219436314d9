"""What a seat or a watcher may know, and the hints for a seat (RULES.md, "What everyone sees")."""

from collections.abc import Sequence

from domain.cards import POSITION, Card, Seat
from domain.game import Outcome
from domain.melds import Meld
from domain.thai_rummy.moves import is_gift
from domain.thai_rummy.plan import best, feeders
from domain.thai_rummy.points import held, shown, value
from domain.thai_rummy.score import hand_winners, places, tallies
from domain.thai_rummy.state import Extend, Fit, Helps, Lay, Pick, Place, State, Take, View, Way
from domain.thai_rummy.ways import lays, spots, takes
from domain.thai_rummy.words import told


def view(s: State, seat: Seat | None) -> View:
    """What this viewer may know: its own hand and all that lies open."""
    scored = s.phase in ("scored", "over")
    return View(
        seat=seat, options=s.options, seats=s.seats, phase=s.phase, turn=s.turn, dealer=s.dealer, deals=s.deals,
        hand=None if seat is None else s.hands[seat], held=None if seat is None else held(s.hands[seat]),
        counts=tuple(map(len, s.hands)), stock=len(s.stock), pile=s.pile, melds=s.melds,
        melded=shown(s.melds, s.seats), took=s.took, known=s.known, thrower=s.thrower, fed=s.fed,
        dark=s.dark, gifts=s.gifts, passes=s.passes, moves=s.moves, ready=s.ready, scores=s.scores, totals=s.totals,
        revealed=tuple(tuple(sorted(hand, key=_order)) for hand in s.hands) if scored else None,
        tallies=tallies(s) if scored else None,
        face_down=s.down if seat is not None and seat == s.out else None,
        hand_winners=hand_winners(s) if scored else (),
        out=s.out, outcome=outcome(s), winners=s.winners,
    )  # fmt: skip


def _order(card: Card) -> tuple[str, int]:
    return card[1], POSITION[card[0]]


def outcome(s: State) -> Outcome | None:
    """The winners first, the others by their totals, ties shared, once the game is over."""
    return Outcome(places(s.totals, s.winners), s.totals) if s.phase == "over" else None


def helps(s: State, seat: Seat) -> Helps:
    """Hints for the seat on turn from its hand and the table; none for the others."""
    if seat != s.turn:
        return Helps()
    hand = s.hands[seat]
    if s.phase == "draw":
        return Helps(picks=picks(hand, s.pile))
    if s.phase != "play":
        return Helps()
    plan = best(hand, s.melds, s.next_id, seat)
    last = len(hand) == 1  # it goes face down: no gift, and it feeds nobody
    rivals = [(len(other), s.known[i]) for i, other in enumerate(s.hands) if i != seat]
    feeds = s.options.fed_penalty == "on" and not last
    return Helps(
        melds=tuple(Way(cards=cards, points=held(cards), move=Lay(cards)) for cards in _richest(lays(hand))),
        fits=() if last else fitting(hand, s.melds),
        gifts=() if last else tuple(card for card in hand if is_gift(s, card)),
        feeds=tuple(feeders(hand, s.pile, s.melds, rivals)) if feeds else (),
        suggest=plan.steps[0] if plan else None,
        plan=plan,
    )


def _richest(melds: Sequence[tuple[Card, ...]]) -> list[tuple[Card, ...]]:
    """The melds, those of most points first."""
    return sorted(melds, key=lambda cards: -held(cards))


def picks(hand: Sequence[Card], pile: Sequence[Card]) -> tuple[Pick, ...]:
    """For each index of the pile whether it may be taken from there, and with which melds."""
    found = []
    for at, card in enumerate(pile):
        ways = tuple(
            Way(cards=cards, points=held(cards), move=Take(at, cards)) for cards in _richest(takes(hand, pile, at))
        )
        words = told(ways, len(pile) - at - 1)
        found.append(Pick(at=at, card=card, takeable=bool(ways), ways=ways, words=words))
    return tuple(found)


def fitting(hand: Sequence[Card], melds: Sequence[Meld]) -> tuple[Fit, ...]:
    """The cards of a hand that go on melds of the table, and where."""
    found = []
    for card in hand:
        at = tuple(
            Place(meld=spot.meld, end=spot.end, points=value(card), move=Extend(card, spot.meld, spot.end))
            for spot in spots(card, melds)
        )
        if at:
            found.append(Fit(card=card, places=at))
    return tuple(found)
