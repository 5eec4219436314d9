"""Buying the discard (RULES.md, "Buying"): claims, passes that nobody sees, passes that come by themselves, closing."""

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from domain.cards import Card, Ms, Seat
from domain.contract_rummy.contracts import contract
from domain.contract_rummy.plan import could_help
from domain.contract_rummy.state import Buy, BuyPref, Decline, Pass, PassFor, Pref, State, Timed, Window
from domain.game import Chance, Due, Illegal, Line, Step

SLOW_MS = Ms(60_000)  # who has held up the upcard for so long may be passed for
SOONEST_MS, SPREAD_MS = 500, 2001  # a pass by itself comes so long after it was set going, and up to so much later


def eligible(s: State) -> tuple[Seat, ...]:
    """Who may buy the discard, the first served before the others: round from the left of the seat to play.

    The seat to play and the one that threw the card are not among them.
    """
    assert s.window is not None
    round_ = (Seat((s.turn + i) % s.seats) for i in range(1, s.seats))
    return tuple(seat for seat in round_ if seat != s.window.thrower)


def undecided(s: State) -> tuple[Seat, ...]:
    """Who may still say whether it buys, in the order of buying; nobody once buying has closed."""
    w = s.window
    if w is None or w.shut:
        return ()
    return tuple(seat for seat in eligible(s) if seat not in w.claims and seat not in w.passed)


def awaited(s: State, passed: Iterable[Seat]) -> tuple[Seat, ...]:
    """Whose word buying waits for, if these have passed: with a clock only those before the first claim."""
    w = s.window
    assert w is not None
    found = []
    for seat in eligible(s):
        if seat in w.claims:
            if w.closes is not None:
                break
        elif seat not in passed:
            found.append(seat)
    return tuple(found)


def buyer(s: State) -> Seat | None:
    """The claimant who is served."""
    return next((seat for seat in eligible(s) if s.window and seat in s.window.claims), None)


def skips(pref: Pref, hand: tuple[Card, ...], card: Card, hand_number: int, down: bool) -> bool:
    """Whether a seat that prefers so lets this card go by."""
    if pref == "helps":
        return down or not could_help(card, hand, contract(hand_number))
    return pref == "never"


def open_window(s: State, thrower: Seat | None, now: Ms, chance: Chance) -> State:
    """Buying of the top discard opens; whoever is away or prefers to be skipped will pass by itself."""
    closes = None if thrower is None else Ms(now + s.options.buy_seconds * 1000)
    window = Window(id=s.windows + 1, card=s.pile[-1], thrower=thrower, opened=now, closes=closes)
    s = replace(s, window=window, windows=window.id)
    for seat in sorted(eligible(s)):
        s = _set_going(s, seat, now, chance)
    return s


def _set_going(s: State, seat: Seat, now: Ms, chance: Chance) -> State:
    """Set the seat's own pass going if it is to be skipped, call it off if not.

    The moment comes from a stream that knows nothing of hands, so it is the same whatever the seat holds.
    """
    w = s.window
    if w is None or seat not in undecided(s):
        return s
    wants = s.away[seat] or skips(s.prefs[seat], s.hands[seat], w.card, s.deals, s.down[seat])
    before = next((t for t in w.timed if t.seat == seat), None)
    if before is None and not wants:
        return s
    if before is None:
        delay = Ms(SOONEST_MS + chance.stream(f"pass:{w.id}:{seat}").below(SPREAD_MS))
        before = Timed(seat, delay, None)
    at = None if not wants else before.at if before.at is not None else Ms(now + before.delay)
    timed = sorted([*(t for t in w.timed if t.seat != seat), Timed(seat, before.delay, at)], key=lambda t: t.seat)
    return replace(s, window=replace(w, timed=tuple(timed)))


class _Next(NamedTuple):
    at: Ms
    kind: str
    seat: Seat | None


def _next(s: State) -> _Next | None:
    """What time does next to an open buying."""
    w = s.window
    if w is None or w.shut:
        return None
    todo = [_Next(t.at, "pass", t.seat) for t in w.timed if t.at is not None]
    if (known := _known(w)) is not None:
        todo.append(known)
    return min(todo, key=lambda n: (n.at, n.kind, n.seat or 0), default=None)


def _known(w: Window) -> _Next | None:
    """What everyone may know that time will do: buying closes, or slow seats are named."""
    if w.closes is not None:
        return _Next(w.closes, "close", None)
    return None if w.slow else _Next(Ms(w.opened + SLOW_MS), "slow", None)


def due(s: State) -> Due | None:
    """When time next changes something: a pass comes by itself, slow seats are named, buying closes."""
    return _due(s.window, _next(s))


def open_due(s: State) -> Due | None:
    """The same without the passes."""
    w = s.window
    return None if w is None or w.shut else _due(w, _known(w))


def _due(w: Window | None, first: _Next | None) -> Due | None:
    if w is None or first is None:
        return None
    seat = "" if first.seat is None else f":{first.seat}"
    return Due(f"{first.kind}:{w.id}{seat}", first.at)


def tick(s: State) -> Step:
    """The one thing that is due happens."""
    first, w = _next(s), s.window
    if first is None or w is None:
        raise Illegal("NOT_DUE", "Nothing at this table runs on a clock now.")
    if first.seat is not None:
        return _passed(s, first.seat)
    if first.kind == "close":
        return _close(s)
    slow = tuple(sorted(undecided(s)))
    line = Line("slow", None, {"seats": list(slow)})
    return Step(replace(s, window=replace(w, slow=slow)), (line,))


def _close(s: State, lines: tuple[Line, ...] = ()) -> Step:
    assert s.window is not None
    timed = tuple(replace(t, at=None) for t in s.window.timed)
    after = replace(s, window=replace(s.window, shut=True, slow=(), timed=timed))
    return Step(after, (*lines, Line("closed", None, {"card": s.window.card, "buyer": buyer(s)})))


def _call_off(w: Window, seat: Seat) -> tuple[Timed, ...]:
    return tuple(replace(t, at=None) if t.seat == seat else t for t in w.timed)


def _passed(s: State, seat: Seat, lines: tuple[Line, ...] = ()) -> Step:
    """A seat has passed. Nobody else is told, unless that closes buying or the seat was named as slow."""
    w = s.window
    assert w is not None
    passed = tuple(sorted((*w.passed, seat)))
    slow = tuple(other for other in w.slow if other != seat)
    after = replace(s, window=replace(w, passed=passed, timed=_call_off(w, seat), slow=slow))
    if not awaited(after, passed):
        return _close(after, lines)
    return Step(after, lines, None if lines or seat in w.slow else (seat,))


def buy(s: State, seat: Seat, move: Buy) -> Step:
    """A claim: heard by all, and not taken back."""
    w = _open(s, seat, move.window)
    passed = tuple(other for other in w.passed if other != seat)
    slow = tuple(other for other in w.slow if other != seat)
    after = replace(
        s, window=replace(w, claims=(*w.claims, seat), passed=passed, timed=_call_off(w, seat), slow=slow)
    )
    line = Line("claim", seat, {"card": w.card})
    return Step(after, (line,)) if awaited(after, passed) else _close(after, (line,))


def pass_(s: State, seat: Seat, _: Pass) -> Step:
    """A pass."""
    w = _open(s, seat, None)
    if seat in w.passed:
        raise Illegal("ALREADY_PASSED", "You have passed. Until buying closes you may still buy.")
    return _passed(s, seat)


def pass_for(s: State, seat: Seat, move: PassFor) -> Step:
    """A pass for a seat that was named as slow. Of any other seat the answer is the same, whatever it has said."""
    w = s.window
    if w is None or w.shut:
        raise too_late()
    if move.seat not in w.slow:
        raise Illegal("NOT_SLOW", "That seat does not hold up the table.")
    return _passed(s, Seat(move.seat), (Line("passed_for", seat, {"seat": move.seat}),))


def shut(s: State, id: int) -> bool:
    """Whether there was a buying of this id, and it has closed."""
    w = s.window
    return 1 <= id <= s.windows and (w is None or w.shut or w.id != id)


def too_late() -> Illegal:
    """What a seat is told that speaks once buying has closed."""
    return Illegal("BUYING_CLOSED", "Buying has closed: nobody can claim or pass any more.")


def _open(s: State, seat: Seat, window: int | None) -> Window:
    """The buying in which a seat may still speak. Raises Illegal."""
    w = s.window
    if w is None or (window is not None and window != w.id):
        raise too_late()
    if seat not in eligible(s):
        raise Illegal("NOT_ELIGIBLE", "You cannot buy this card: you threw it, or it is yours to take.")
    if w.shut:
        raise too_late()
    if seat in w.claims:
        raise Illegal("CLAIM_STANDS", "You have claimed the card, and your claim stands.")
    return w


def decline(s: State, seat: Seat, _: Decline, __: Chance) -> Step:
    """The seat to play says that it waits for the stock."""
    w = s.window
    if w is None or w.shut:
        raise Illegal("STOCK_OPEN", "The stock is open: draw, or take the discard.")
    if w.declined:
        raise Illegal("ALREADY_DECLINED", "You have said so. Until you draw you may still take the discard.")
    return Step(replace(s, window=replace(w, declined=True)), (Line("decline", seat, {"card": w.card}),))


def prefer(s: State, seat: Seat, move: BuyPref, now: Ms, chance: Chance) -> Step:
    """A seat's own wish, told to nobody else; an open buying in which it is undecided follows it."""
    prefs = (*s.prefs[:seat], move.pref, *s.prefs[seat + 1 :])
    return Step(_set_going(replace(s, prefs=prefs), seat, now, chance), notice=(seat,))


def attend(s: State, seat: Seat, away: bool, now: Ms, chance: Chance) -> State:
    """A seat's person leaves, or somebody plays for it again: while it is away it passes by itself."""
    s = replace(s, away=(*s.away[:seat], away, *s.away[seat + 1 :]))
    return _set_going(s, seat, now, chance)


def sit_in(s: State, seat: Seat) -> State:
    """A seat's person is back: it is asked again, and a bot's decline does not bind it before the draw."""
    s = replace(s, away=(*s.away[:seat], False, *s.away[seat + 1 :]))
    w = s.window
    if w is None or w.shut:
        return s
    if w.declined and seat == s.turn:
        return replace(s, window=replace(w, declined=False, lapses=w.lapses + 1))
    if skips(s.prefs[seat], s.hands[seat], w.card, s.deals, s.down[seat]):
        return s
    return replace(s, window=replace(w, timed=_call_off(w, seat)))
