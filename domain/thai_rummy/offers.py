"""What picked cards can do, in words for buttons, and why not (RULES.md, "A turn"): the rules themselves are asked."""

from collections.abc import Callable, Iterator, Sequence

from domain.cards import Card, Ms, Seat
from domain.chance import ZERO, Chance
from domain.game import Illegal, Offer, Step
from domain.thai_rummy.lay import goes_on, new_meld
from domain.thai_rummy.moves import is_gift
from domain.thai_rummy.plan import FEW, LEAST, best, feeders
from domain.thai_rummy.points import held, value
from domain.thai_rummy.score import FED, GIFT
from domain.thai_rummy.state import Discard, Draw, Extend, Lay, Move, Pass, Ready, State, Take
from domain.thai_rummy.ways import new_melds, spots, takes
from domain.words import row, show

Rules = Callable[[State, Seat, Move, Ms, Chance], Step]


class Throw(Offer, frozen=True, kw_only=True):
    """A discard with a caution. near: whether it may feed a rival who holds so few cards that a turn ends the hand."""

    near: bool


def offers(s: State, seat: Seat, picked: Sequence[Card], play: Rules) -> tuple[Offer, ...]:
    """What a seat could do with these cards of its hand, or without any, and what it looks for in vain.

    play: the rules, asked under a key that is no table's: what a move would draw or deal is never looked at.
    """
    return () if s.phase == "over" else tuple(_Asks(s, seat, picked, play).all())


class _Asks:
    """One seat's question. Everything in it follows from the seat's own hand and what lies open."""

    def __init__(self, s: State, seat: Seat, picked: Sequence[Card], play: Rules) -> None:
        self.s, self.seat, self.play = s, seat, play
        self.hand = s.hands[seat]
        self.picked = tuple(picked)

    def all(self) -> Iterator[Offer]:
        if len(set(self.picked)) < len(self.picked) or not set(self.picked).issubset(self.hand):
            yield Offer(kind="none", words="Nothing", why="A card you picked is not in your hand.")
            self.picked = ()
        if self.s.phase == "scored":
            yield self.offer(Ready(), "Next hand")
        elif self.seat != self.s.turn:
            if self.picked:
                yield Offer(kind="none", words="Nothing", why=self.no(Draw()))
        elif self.s.phase == "draw":
            yield from self.draws()
            yield from self.takes()
            yield from self.later()
        else:
            yield from self.lays()
            yield from self.drawn()

    def no(self, move: Move) -> str | None:
        """Why the rules refuse a move, in their words, or None if they take it."""
        no = self.refusal(move)
        return no.words if no else None

    def refusal(self, move: Move) -> Illegal | None:
        """How the rules refuse a move, or None if they take it."""
        try:
            self.play(self.s, self.seat, move, Ms(0), Chance(ZERO))
        except Illegal as no:
            return no
        return None

    def offer(
        self, move: Move, words: str, *, points: int | None = None, at: int | None = None, caution: str | None = None
    ) -> Offer:
        """A move as the rules answer it."""
        meld, end = (move.meld, move.end) if isinstance(move, Extend) else (None, None)
        kind, why = str(type(move).__struct_config__.tag), self.no(move)
        if why:
            return Offer(kind=kind, words=words, why=why, meld=meld, end=end, at=at)
        return Offer(kind=kind, words=words, move=move, points=points, meld=meld, end=end, at=at, caution=caution)

    def draws(self) -> Iterator[Offer]:
        """Drawing, or passing once nothing can be drawn."""
        last = self.s.passes + 1 >= self.s.seats
        yield self.offer(Draw(), "Draw" if self.s.stock else "Stock's out")
        yield self.offer(Pass(), "Pass", caution="Everyone has passed then, and the hand ends here." if last else None)

    def takes(self) -> Iterator[Offer]:
        """For each card of the pile the melds with just the picked cards; if none are picked, the richest there is."""
        own = frozenset(self.hand)
        for at in range(len(self.s.pile)):
            ways = sorted(takes(self.hand, self.s.pile, at), key=lambda cards: -held(cards))
            if self.picked:
                ways = [cards for cards in ways if own.intersection(cards) == set(self.picked)]
            count = len(self.s.pile) - at
            for cards in ways if self.picked else ways[:1]:
                yield self.offer(Take(at, cards), f"Take {count} and meld {brief(cards)}", points=held(cards), at=at)
            if not ways:
                yield Offer(kind="take", words=f"Take {count}", at=at, why=self.not_taken(at))

    def not_taken(self, at: int) -> str:
        """Why the pile cannot be taken from here with the picked cards, or with any."""
        bottom, above = self.s.pile[at], self.s.pile[at:]
        if self.picked:
            no = self.refusal(Take(at, (bottom, *self.picked)))
        else:
            some = [cards for cards in new_melds((*self.hand, *above)) if bottom in cards]
            no = self.refusal(Take(at, max(some, key=lambda cards: len(own_of(cards, self.hand)), default=(bottom,))))
        if no is None or (no.code == "NOT_A_MELD" and not self.picked):
            return f"{show(bottom)} makes no new meld with a card of your hand."
        if no.code == "NOT_A_MELD":
            return f"{row((bottom, *self.picked))} make no new meld." if len(self.picked) > 1 else no.words
        return no.words

    def later(self) -> Iterator[Offer]:
        """What cannot be done before a card has come."""
        yield Offer(kind="meld", words="Meld", why=self.no(Lay(self.picked)))
        yield Offer(kind="discard", words="Discard", why=self.no(Discard((*self.picked, *self.hand)[0])))

    def drawn(self) -> Iterator[Offer]:
        """What has been done for this turn."""
        yield self.offer(Draw(), "Draw")
        yield Offer(kind="take", words="Take", why=self.no(Take(0, ())))

    def lays(self) -> Iterator[Offer]:
        """Melding, extending and discarding, with a card drawn or taken."""
        if not self.picked:
            yield self.suggested()
            yield Offer(kind="discard", words="Discard", why="Pick the card to discard first.")
            return
        yield self.meld()
        yield from self.extend()
        yield self.discard()

    def suggested(self) -> Offer:
        """The first of the moves that lay the richest there is."""
        plan = best(self.hand, self.s.melds, self.s.next_id, self.seat)
        if plan is None:
            return Offer(kind="meld", words="Meld", why=self.nothing())
        move, points = plan.steps[0].move, plan.steps[0].points
        words = f"Meld {brief(move.cards)}" if isinstance(move, Lay) else f"Extend with {show(move.card)}"
        return self.offer(move, words, points=points)

    def nothing(self) -> str:
        """Why nothing can be laid."""
        if len(self.hand) == 1 and goes_on(self.hand[0], self.s.melds):
            return "Your last card is for the discard: it goes face down and ends the hand."
        return "Nothing of your hand can be laid now."

    def meld(self) -> Offer:
        """The picked cards as a new meld."""
        move, kind = Lay(self.picked), ""
        try:
            new = new_meld(self.picked, self.s.next_id, self.seat)
            move, kind = Lay(new.cards), f" a {new.kind}"
        except Illegal:
            pass  # the rules say it once more
        return self.offer(move, f"Meld{kind}", points=held(self.picked))

    def extend(self) -> Iterator[Offer]:
        """The picked card on each meld of the table that takes it."""
        card, melds = self.picked[0], self.s.melds
        if len(self.picked) > 1:
            yield Offer(kind="extend", words="Extend", why="A meld is extended by one card at a time: pick one alone.")
            return
        at = spots(card, melds)
        for spot in at:
            yield self.offer(Extend(card, *spot), f"Extend with {show(card)}", points=value(card))
        if not at:
            special = (self.refusal(Extend(card, meld.id)) for meld in melds)
            why = next((no.words for no in special if no and no.code != "DOES_NOT_FIT"), None)
            none = f"{show(card)} goes on no meld of the table." if melds else "No meld lies on the table yet."
            yield Offer(kind="extend", words="Extend", why=why or none)

    def discard(self) -> Offer:
        """The picked card to the pile, or face down if it is the last."""
        card = self.picked[0]
        if len(self.picked) > 1:
            return Offer(kind="discard", words="Discard", why="Discard one card: pick that one alone.")
        if len(self.hand) == 1:
            return self.offer(Discard(card), f"Lay {show(card)} face down and go out")
        plain, caution = self.offer(Discard(card), f"Discard {show(card)}"), self.costs(card)
        if plain.move is None or caution is None:
            return plain
        return Throw(kind=plain.kind, words=plain.words, move=plain.move, caution=caution, near=self.feeds(card, LEAST))

    def costs(self, card: Card) -> str | None:
        """What throwing the card costs, or may cost."""
        said = []
        if is_gift(self.s, card):
            said.append(f"{show(card)} could be laid on the table: {minus(GIFT)}.")
        if self.feeds(card):
            said.append(f"With {show(card)} another may begin the last turn of the hand: {minus(FED)}.")
        return " ".join(said) or None

    def feeds(self, card: Card, most: int = FEW) -> bool:
        """Whether a rival with at most so many cards might begin its last turn with the card, where that costs.

        The rest of the hand is seen too.
        """
        others = [(len(hand), self.s.known[i]) for i, hand in enumerate(self.s.hands) if i != self.seat]
        rivals = [(count, known) for count, known in others if count <= most]
        if self.s.options.fed_penalty == "off":
            return False
        return bool(feeders((card,), (*self.s.pile, *self.hand), self.s.melds, rivals))


def brief(cards: Sequence[Card]) -> str:
    """A meld for a button: a set card by card, a run by its ends.

    >>> brief(("8S1", "9S1", "TS1")), brief(("9C1", "9D1", "9S1"))
    ('8♠–10♠', '9♣ 9♦ 9♠')
    """
    return row(cards) if cards[0][0] == cards[-1][0] else f"{show(cards[0])}–{show(cards[-1])}"


def own_of(cards: Sequence[Card], hand: Sequence[Card]) -> set[Card]:
    """The cards of a meld that are in the hand."""
    return set(cards) & set(hand)


def minus(points: int) -> str:
    """A penalty as people write it.

    >>> minus(-50)
    '−50'
    """
    return f"−{-points}"
