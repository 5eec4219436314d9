"""What a seat or a watcher may know, all moves of one part, and the hints (RULES.md, "What everyone sees")."""

from domain.cards import Seat
from domain.game import Outcome
from domain.melds import fits
from domain.rummy.moves import REUSES, ROUNDS, dry
from domain.rummy.plan import best, fitting, pick
from domain.rummy.points import STYLE
from domain.rummy.state import Discard, Draw, EndHand, Helps, LayOff, Move, NewMeld, Play, Resign, State, Take, View
from domain.search import new_runs, new_sets


def view(s: State, seat: Seat | None) -> View:
    """What this viewer may know: its own hand and all that lies open, or did."""
    return View(
        seat=seat, options=s.options, seats=s.seats, phase=s.phase, turn=s.turn, dealer=s.dealer, deals=s.deals,
        hand=None if seat is None else s.hands[seat], counts=tuple(map(len, s.hands)), stock=len(s.stock),
        dry=s.phase == "draw" and dry(s), pile=s.pile, melds=s.melds, taken=s.taken, known=s.known, turns=s.turns,
        moves=s.moves, circling=s.circling, circle_at=ROUNDS * s.seats, reuses=s.reuses, reuse_at=REUSES,
        remade=s.remade, before=s.before, due=s.due, scores=s.scores, held=s.held, outs=s.outs, totals=s.totals,
        lost=s.lost, how=s.how, outcome=outcome(s), winners=s.winners,
    )  # fmt: skip


def outcome(s: State) -> Outcome | None:
    """Places by total once the game is over, ties shared; a seat that resigned or missed its deadline is last."""
    if s.how is None:
        return None
    places = tuple(
        s.seats if i == s.lost else 1 + sum(other > mine for j, other in enumerate(s.totals) if j != s.lost)
        for i, mine in enumerate(s.totals)
    )
    return Outcome(places, s.totals, how=s.how)


def legal(s: State, seat: Seat) -> list[Move]:
    """Every one-part move of the seat. Resigning is one of them for everyone until the game is over."""
    if s.phase == "over":
        return []
    if seat != s.turn:
        return [Resign()]
    if s.phase == "draw":
        return [EndHand() if dry(s) else Draw(), Take(), Resign()]
    hand = s.hands[seat]
    moves: list[Move] = []
    for suit in sorted({c[1] for c in hand}):
        moves += [NewMeld(run) for run, _ in new_runs([c for c in hand if c[1] == suit], (), STYLE)]
    for rank in sorted({c[0] for c in hand}):
        moves += [NewMeld(some) for some in new_sets([c for c in hand if c[0] == rank], (), STYLE)]
    moves += [LayOff((Play(card, m.id),)) for m in s.melds for card in hand if fits(m, card, STYLE)]
    moves += [Discard(card) for card in hand if card != s.taken or len(hand) == 1]
    return [*moves, Resign()]


def helps(s: State, seat: Seat) -> Helps:
    """Hints for the seat on turn from its hand and the table; none for the others."""
    if seat != s.turn or s.phase == "over":
        return Helps()
    hand = s.hands[seat]
    if s.phase == "draw":
        return Helps(pick=pick(hand, s.pile[-1], s.melds))
    plan = best(hand, s.melds)
    return Helps(
        suggest=plan.moves[0] if plan.moves else None, plan=plan.moves, points=plan.points,
        out=bool(plan.moves) and len(plan.left) <= 1, fits=fitting(hand, s.melds),
        keep=s.taken if s.taken in hand and len(hand) > 1 else None,
    )  # fmt: skip
