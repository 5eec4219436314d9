"""What a seat or a watcher may know, and the hints for a seat (RULES.md, "What everyone sees")."""

from domain.cards import POSITION, Card, Seat
from domain.game import Outcome
from domain.melds import Meld, Run, fits
from domain.michigan_rummy.best import best
from domain.michigan_rummy.moves import STALL
from domain.michigan_rummy.plan import picks
from domain.michigan_rummy.points import LOW_ACE, POINTS, STYLE, held
from domain.michigan_rummy.state import Fit, Helps, Place, State, View


def view(s: State, seat: Seat | None) -> View:
    """What this viewer may know: its own hand and all that lies open."""
    scored = s.phase in ("scored", "over")
    return View(
        seat=seat, options=s.options, seats=s.seats, phase=s.phase, turn=s.turn, dealer=s.dealer, deals=s.deals,
        hand=None if seat is None else s.hands[seat], counts=tuple(map(len, s.hands)), stock=len(s.stock),
        pile=s.pile, melds=s.melds, melded=s.melded, must=s.must, took=s.took, known=s.known, remade=s.remade,
        turns=s.turns, moves=s.moves, reshuffles=s.reshuffles, stalled=s.stalled, stall_at=STALL * s.seats,
        ready=s.ready, scores=s.scores, totals=s.totals,
        revealed=tuple(tuple(sorted(hand, key=_order)) for hand in s.hands) if scored else None,
        held=tuple(map(held, s.hands)) if scored else None,
        out=s.out, outcome=outcome(s), winners=s.winners,
    )  # fmt: skip


def _order(card: Card) -> tuple[str, int, str]:
    return (card[1], POSITION[card[0]], card) if card[0] != "*" else ("~", int(card[1:]), card)


def outcome(s: State) -> Outcome | None:
    """Places by total, ties shared, once the game is over."""
    return Outcome(places(s.totals), s.totals) if s.phase == "over" else None


def places(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Place of each seat: 1 for the highest total.

    >>> places((95, 120, 95))
    (2, 1, 2)
    """
    return tuple(1 + sum(other > total for other in totals) for total in totals)


def helps(s: State, seat: Seat) -> Helps:
    """Hints for the seat on turn from its hand and the table; none for the others."""
    if seat != s.turn:
        return Helps()
    spare = s.options.discard_out == "on"
    if s.phase == "draw":
        return Helps(picks=picks(s.hands[seat], s.pile, s.melds, spare=spare))
    if s.phase == "play":
        suggest = best(s.hands[seat], s.melds, s.next_id, seat, must=s.must, spare=spare)
        return Helps(suggest=suggest, fits=fitting(s.hands[seat], s.melds))
    return Helps()


def fitting(hand: tuple[Card, ...], melds: tuple[Meld, ...]) -> tuple[Fit, ...]:
    """The cards of a hand that go on melds of the table, and where."""
    found = (
        Fit(card=card, places=tuple(p for meld in melds for p in _places(card, meld))) for card in hand
    )
    return tuple(fit for fit in found if fit.places)


def _places(card: Card, meld: Meld) -> list[Place]:
    points = POINTS[card[0]]
    return [
        Place(
            meld=meld.id,
            end=end,
            points=LOW_ACE if card[0] == "A" and end == "low" and isinstance(meld, Run) and meld.lo == 2 else points,
        )
        for end in fits(meld, card, STYLE)
    ]
