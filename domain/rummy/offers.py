"""What picked cards can do, in words for buttons, and why not (RULES.md, "A turn"): the rules themselves are asked."""

from collections.abc import Callable, Iterator, Sequence

from domain.cards import Card, Ms, Seat
from domain.chance import ZERO, Chance
from domain.game import Illegal, Offer, Step
from domain.melds import End, Meld, extend, fits
from domain.rummy.lay import meld as made
from domain.rummy.moves import ROUNDS, dry
from domain.rummy.plan import best
from domain.rummy.points import STYLE, held
from domain.rummy.state import Discard, Draw, EndHand, LayOff, Move, NewMeld, Play, Resign, State, Take
from domain.words import row, show

Rules = Callable[[State, Seat, Move, Ms, Chance], Step]

PICK = "Pick cards of your hand first."
FEW = 3  # cards that a button names; of more it tells how many there are


def offers(s: State, seat: Seat, picked: Sequence[Card], play: Rules) -> tuple[Offer, ...]:
    """What a seat could do with these cards of its hand, or without any, and what it looks for in vain.

    play: the rules, asked under a key that is no table's: what a move would draw or deal is never looked at.
    """
    if s.phase == "over":
        return ()
    return tuple(_Asks(s, seat, picked, play).all())


class _Asks:
    """One seat's question. Everything in it follows from the seat's own hand and what lies open."""

    def __init__(self, s: State, seat: Seat, picked: Sequence[Card], play: Rules) -> None:
        self.s, self.seat, self.play = s, seat, play
        self.hand = s.hands[seat]
        self.picked = tuple(picked)

    def all(self) -> Iterator[Offer]:
        mine = self.seat == self.s.turn
        if len(set(self.picked)) < len(self.picked) or not set(self.picked).issubset(self.hand):
            yield Offer(kind="none", words="Nothing", why="A card you picked is not in your hand.")
        elif mine:
            yield from self.laid() if self.s.phase == "play" else self.waiting()
        elif self.picked:
            yield Offer(kind="none", words="Nothing", why=self.no(Draw()))
        if mine:
            yield from self.pile()
        yield self.resign()

    def refusal(self, move: Move) -> Illegal | None:
        """Why the rules refuse a move, or None if they take it."""
        try:
            self.play(self.s, self.seat, move, Ms(0), Chance(ZERO))
        except Illegal as no:
            return no
        return None

    def no(self, move: Move) -> str | None:
        """The words of a refusal."""
        no = self.refusal(move)
        return no.words if no else None

    def offer(
        self, move: Move, words: str, *, points: int | None = None, meld: int | None = None, end: End | None = None,
        at: int | None = None, caution: str | None = None, why: str | None = None,
    ) -> Offer:  # fmt: skip
        """A move as the rules answer it. why: what to say if they refuse, for words that suit better than theirs."""
        kind, no = str(type(move).__struct_config__.tag), self.no(move)
        if no:
            return Offer(kind=kind, words=words, why=why or no, meld=meld, end=end, at=at)
        return Offer(kind=kind, words=words, move=move, points=points, meld=meld, end=end, at=at, caution=caution)

    def pile(self) -> Iterator[Offer]:
        """Drawing, taking and ending the hand."""
        s, top = self.s, len(self.s.pile) - 1
        drawing = s.phase == "draw"
        words = "Draw" if s.stock or not drawing else "Stock's out" if dry(s) else "Reshuffle and draw"
        yield self.offer(Draw(), words)
        if s.pile:
            yield self.offer(Take(), f"Take {show(s.pile[top])}", at=top, caution=self.circle())
        for at in range(top if drawing else 0):
            yield Offer(kind="take", words=f"Take {show(s.pile[at])}", at=at, why="Only the top card can be taken.")
        yield self.offer(EndHand(), "End the hand", caution=f"Nobody goes out then: {LEAST}")

    def circle(self) -> str | None:
        """What to say before a turn that blocks the hand unless the seat goes out."""
        turns, most = self.s.circling + 1, ROUNDS * self.s.seats
        if turns < most:
            return None
        return f"{turns} turns in a row will be without a draw then: unless you go out the hand ends, and {LEAST}"

    def resign(self) -> Offer:
        last = "the other player wins" if self.s.seats == 2 else f"you come last of {self.s.seats}"
        return self.offer(Resign(), "Resign", caution=f"The game ends at once for everyone, and {last}.")

    def waiting(self) -> Iterator[Offer]:
        """What cannot be done before a card has come."""
        yield Offer(kind="meld", words="Meld", why=self.no(NewMeld(self.picked)))
        yield Offer(kind="discard", words="Discard", why=self.no(Discard((*self.picked, *self.hand)[0])))

    def laid(self) -> Iterator[Offer]:
        """Melding, laying off and discarding, with a card drawn or taken."""
        if not self.picked:
            yield self.suggested()
            yield Offer(kind="discard", words="Discard", why=PICK)
            return
        yield self.meld()
        yield from self.lay_off()
        yield self.discard()

    def suggested(self) -> Offer:
        """The first of the moves that lay all that is best laid."""
        plan = best(self.hand, self.s.melds).moves
        if not plan:
            return Offer(kind="meld", words="Meld", why="Nothing of your hand can be melded or laid off now.")
        move, points = plan[0].move, plan[0].points
        if isinstance(move, LayOff):
            on = {play.meld for play in move.plays}
            return self.offer(move, self.lays(move), points=points, meld=on.pop() if len(on) == 1 else None)
        first, last = move.cards[0], move.cards[-1]
        named = row(move.cards) if first[0] == last[0] else f"{show(first)}–{show(last)}"
        return self.offer(move, self.out(f"Meld {named}", move.cards), points=points)

    def out(self, words: str, cards: Sequence[Card]) -> str:
        """The words, and that the hand is over with it if no card is left."""
        return f"{words} and go out" if len(cards) == len(self.hand) else words

    def meld(self) -> Offer:
        """The picked cards as a new meld."""
        move, kind = NewMeld(self.picked), ""
        try:
            new = made(self.picked, self.s.next_id, self.seat)
            move, kind = NewMeld(new.cards), f" a {new.kind}"
        except Illegal:
            pass  # the rules say it once more, in their words
        return self.offer(move, self.out(f"Meld{kind}", self.picked), points=held(self.picked))

    def lay_off(self) -> Iterator[Offer]:
        """The picked cards on one meld of the table, for each that takes them all; else on several, if all go."""
        found = False
        for meld in self.s.melds:
            for move, end in onto(self.picked, meld):
                found = True
                yield self.offer(move, self.lays(move), points=held(self.picked), meld=meld.id, end=end)
        several = None if found else everywhere(self.picked, self.s.melds)
        if several:
            yield self.offer(several, self.lays(several), points=held(self.picked))
        elif not found:
            yield Offer(kind="lay_off", words="Lay off", why=self.nowhere())

    def lays(self, move: LayOff) -> str:
        cards = [play.card for play in move.plays]
        return self.out(f"Lay off {row(cards) if len(cards) <= FEW else f'{len(cards)} cards'}", cards)

    def nowhere(self) -> str:
        """Why the picked cards do not all go on the table; a single card as the rules say it, if they say more."""
        if not self.s.melds:
            return "No meld lies on the table yet."
        if len(self.picked) > 1:
            return "These cards do not all go on the melds of the table."
        card = self.picked[0]
        for meld in self.s.melds:
            no = self.refusal(LayOff((Play(card, meld.id),)))
            if no and no.code != "DOES_NOT_FIT":
                return no.words
        return f"{show(card)} goes on no meld of the table."

    def discard(self) -> Offer:
        """The picked card to the pile."""
        if len(self.picked) > 1:
            return Offer(kind="discard", words="Discard", why="Discard one card: pick that one alone.")
        card = self.picked[0]
        return self.offer(Discard(card), self.out(f"Discard {show(card)}", self.picked), caution=self.playable(card))

    def playable(self, card: Card) -> str | None:
        """What to say before a card goes to the pile that could go on the table."""
        meld = next((m for m in self.s.melds if fits(m, card, STYLE)), None)
        if meld is None or len(self.hand) == 1:
            return None
        return f"{show(card)} goes on the {meld.kind} {row(meld.cards)}."


LEAST = "the fewest points in hand score."


def onto(cards: Sequence[Card], meld: Meld) -> Iterator[tuple[LayOff, End | None]]:
    """The move that lays all these cards on a meld, and the end that takes them; no end if they go on both."""
    plays: list[Play] = []
    ends: set[End | None] = set()
    left = list(cards)
    while left:
        card = next((c for c in left if fits(meld, c, STYLE)), None)
        if card is None:
            return
        ends |= set(fits(meld, card, STYLE))
        meld = extend(meld, card, meld.owner, STYLE)
        plays.append(Play(card, meld.id))
        left.remove(card)
    yield LayOff(tuple(plays)), ends.pop() if len(ends) == 1 else None


def everywhere(cards: Sequence[Card], melds: Sequence[Meld]) -> LayOff | None:
    """The move that lays all these cards on melds of the table, or None if there is none.

    Where a card goes once it goes until it is laid, so of the cards that go any may be next; its place may matter.
    """
    if not cards:
        return LayOff(())
    for card in cards:
        places = [meld for meld in melds if fits(meld, card, STYLE)]
        for meld in places:
            longer = extend(meld, card, meld.owner, STYLE)
            rest = everywhere([c for c in cards if c != card], [longer if m is meld else m for m in melds])
            if rest:
                return LayOff((Play(card, meld.id), *rest.plays))
        if places:
            return None
    return None
