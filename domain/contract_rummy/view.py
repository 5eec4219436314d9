"""What a seat or a watcher may know, and the hints for a seat (RULES.md, "What everyone sees" and "Hints")."""

from collections.abc import Sequence

from domain.cards import POSITION, Card, Seat
from domain.contract_rummy.contracts import LAST, contract, held
from domain.contract_rummy.final import progress
from domain.contract_rummy.layoff import lay_offs, sort_out
from domain.contract_rummy.moves import ends_hand
from domain.contract_rummy.plan import best, could_help, useful_swaps
from domain.contract_rummy.shown import Arranged, Buying, Choice, Helps, Spot, View
from domain.contract_rummy.state import NewMeld, NewRun, Play, State
from domain.contract_rummy.suggest import arranged, leftover, seen, suggest
from domain.contract_rummy.window import awaited, eligible
from domain.game import Illegal, Outcome


def view(s: State, seat: Seat | None) -> View:
    """What this viewer may know: its own hand, wish and pass, and all that lies open."""
    scored = s.phase in ("scored", "over")
    return View(
        seat=seat, options=s.options, seats=s.seats, phase=s.phase, turn=s.turn, dealer=s.dealer, deals=s.deals,
        contract=contract(s.deals), hand=None if seat is None else s.hands[seat], counts=tuple(map(len, s.hands)),
        stock=len(s.stock), pile=s.pile, melds=s.melds, window=buying(s, seat), ends_hand=ends_hand(s),
        pref=None if seat is None else s.prefs[seat], known=s.known, remade=s.remade, down=s.down,
        down_at=s.down_at, went_down=s.went_down, laid=s.laid, turns=s.turns, moves=s.moves,
        reshuffles=s.reshuffles, ready=s.ready, scores=s.scores, totals=s.totals,
        revealed=tuple(map(_sorted, s.hands)) if scored else None,
        held=tuple(map(held, s.hands)) if scored else None,
        leftovers=tuple(
            leftover(_sorted(hand), s.down[i], s.out == i, s.deals) for i, hand in enumerate(s.hands)
        ) if scored else None,
        out=s.out, outcome=outcome(s), winners=s.winners,
    )  # fmt: skip


def _sorted(hand: tuple[Card, ...]) -> tuple[Card, ...]:
    return tuple(sorted(hand, key=_order))


def _order(card: Card) -> tuple[str, int, str]:
    return (card[1], POSITION[card[0]], card) if card[0] != "*" else ("~", int(card[1:]), card)


def buying(s: State, seat: Seat | None) -> Buying | None:
    """The open or closed buying without what others have kept to themselves."""
    w = s.window
    if w is None:
        return None
    order = eligible(s)
    return Buying(
        id=w.id, card=w.card, thrower=w.thrower, order=order, claims=w.claims, passed=seat in w.passed,
        only_you=not w.shut and seat is not None and awaited(s, ()) == (seat,),
        priority=order.index(seat) + 1 if seat in order else None, declined=w.declined, shut=w.shut,
        closes=w.closes, untimed=w.closes is None, slow=w.slow,
    )  # fmt: skip


def outcome(s: State) -> Outcome | None:
    """Places by total, ties shared, once the game is over."""
    return Outcome(places(s.totals), s.totals) if s.phase == "over" else None


def places(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Place of each seat: 1 for the lowest total.

    >>> places((120, 95, 95))
    (3, 1, 1)
    """
    return tuple(1 + sum(other < total for other in totals) for total in totals)


def helps(s: State, seat: Seat) -> Helps:
    """Hints for a seat from its own hand and the table."""
    if s.phase not in ("draw", "play"):
        return Helps()
    hand, wanted, last = s.hands[seat], contract(s.deals), s.deals == LAST
    mine = s.phase == "play" and seat == s.turn
    if s.down[seat]:
        plays, choose = _plays(s, hand) if mine and not s.went_down else ((), ())
        return Helps(plays=plays, choose=choose, could_help=False if s.phase == "draw" else None)
    return Helps(
        missing=progress(hand) if last else best(hand, wanted.sets, wanted.runs).missing,
        suggest=suggest(hand, s.melds, s.deals) if mine else None,
        useful_swaps=() if last else useful_swaps(hand, s.melds, wanted.sets, wanted.runs),
        could_help=could_help(s.pile[-1], hand, wanted) if s.phase == "draw" and s.pile else None,
    )  # fmt: skip


def _plays(s: State, hand: tuple[Card, ...]) -> tuple[tuple[Play, ...], tuple[Choice, ...]]:
    """What can be laid off in one move, and the cards whose place is the player's to choose."""
    found = sort_out(lay_offs(hand, s.melds), s.melds)
    choose = (
        Choice(card=card, spots=tuple(Spot(meld=place.meld, end=place.end) for place in places))
        for card, places in found.choose
    )
    return found.plays, tuple(choose)


def arrange(s: State, seat: Seat, keep: Sequence[NewMeld | NewRun]) -> Arranged | None:
    """A careful way to go down or out that goes on from what is kept, or None. Raises Illegal("BAD", …)."""
    if s.phase not in ("draw", "play") or s.down[seat]:
        return None
    if any(isinstance(new, NewRun) != (s.deals == LAST) for new in keep):
        raise Illegal("BAD", "Keep melds of the contract; in the last hand, runs.")
    return arranged(s.hands[seat], s.melds, s.deals, s.seats, seen(s.hands[seat], s), keep)


