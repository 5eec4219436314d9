"""What a hand comes to and when the game is over (RULES.md, "The score of a hand" and "The end of the game")."""

from msgspec.structs import replace

from domain.game import Line, Seat, Step
from domain.thai_rummy.points import held, shown
from domain.thai_rummy.state import Row, State, Tally

OUT = 50  # for the card laid face down
GIFT = FED = -50
HANDS = 200  # the game ends after this hand whatever the totals: RULES.md, "The end of the game"


def tallies(s: State) -> tuple[Tally, ...]:
    """How the score of each seat comes about, in the hand that has ended."""
    return tuple(_tally(s, seat, points) for seat, points in enumerate(shown(s.melds, s.seats)))


def _tally(s: State, seat: int, points: int) -> Tally:
    options = s.options
    left = held(s.hands[seat])
    out = OUT if seat == s.out else 0
    gifts = GIFT * s.gifts[seat]
    fed = FED if options.fed_penalty == "on" and s.out is not None and seat == s.fed else 0
    doubled = options.doubling == "on" and s.dark[seat]
    cards, rest = points - left, out + gifts + fed
    if doubled:
        cards, rest = 2 * cards, rest * (2 if options.double_scope == "all" else 1)
    return Tally(shown=points, held=left, out=out, gifts=gifts, fed=fed, doubled=doubled, score=cards + rest)


def hand_winners(s: State) -> tuple[Seat, ...]:
    """Who won the hand that was scored last: who went out, else the highest score, several if it is shared."""
    if s.out is not None:
        return (s.out,)
    row = s.scores[-1]
    return tuple(Seat(i) for i, score in enumerate(row) if score == max(row))


def next_dealer(s: State) -> Seat:
    """The loser of the hand that was scored last; the same dealer again if nobody is the only loser."""
    row = s.scores[-1]
    if s.seats == 2 and s.out is not None:
        return Seat(1 - s.out)
    return Seat(row.index(min(row))) if row.count(min(row)) == 1 else s.dealer


def end_hand(s: State, lines: tuple[Line, ...]) -> Step:
    """Score the hand that has ended, and end the game if it is decided."""
    told = tallies(s)
    row = tuple(t.score for t in told)
    totals = tuple(t + r for t, r in zip(s.totals, row, strict=True))
    after = replace(s, phase="scored", scores=(*s.scores, row), totals=totals)
    winners = game_winners(after)
    data = {
        "out": s.out, "winners": list(hand_winners(after)), "shown": [t.shown for t in told],
        "held": [t.held for t in told], "down": [t.out for t in told], "gifts": [t.gifts for t in told],
        "fed": [t.fed for t in told], "doubled": [t.doubled for t in told], "score": list(row), "totals": list(totals),
    }  # fmt: skip
    lines = (*lines, Line("hand", None, data))
    if winners:
        after = replace(after, phase="over", winners=winners)
        lines = (*lines, Line("over", None, {"winners": list(winners), "totals": list(totals)}))
    return Step(after, lines, hand_ended=True)


def game_winners(s: State) -> tuple[Seat, ...]:
    """Who has won the game after the hand just scored, or nobody yet."""
    if min(s.totals) > s.options.floor:
        if s.out is not None and s.totals[s.out] >= s.options.target:
            return (s.out,)
        if s.deals < HANDS:
            return ()
    return tuple(Seat(i) for i, total in enumerate(s.totals) if total == max(s.totals))


def places(totals: Row, winners: tuple[Seat, ...]) -> Row:
    """Place of each seat: the winners are first, the others follow by their totals.

    >>> places((510, 600, -20), (Seat(0),))
    (1, 2, 3)
    """
    return tuple(
        1 if seat in winners
        else 1 + sum(i in winners or other > total for i, other in enumerate(totals))
        for seat, total in enumerate(totals)
    )  # fmt: skip
