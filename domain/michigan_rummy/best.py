"""The richest meld move of a hand (RULES.md, "Hints")."""

from collections.abc import Sequence

from domain.cards import RANKS, Card, Seat
from domain.melds import Meld, Run, arrange, extend, fits
from domain.michigan_rummy.lay import apply, used
from domain.michigan_rummy.plan import way
from domain.michigan_rummy.points import LOW_ACE, POINTS, STYLE, held
from domain.michigan_rummy.state import Lay, NewMeld, Play, Suggestion
from domain.mixes import MIXES, Mix, Piece, richest


def face_worth(face: str, position: int) -> int:
    """Points of a face at a position of a run, or in a set for position 0."""
    return LOW_ACE if position == 1 else POINTS[face[0]]


def best(
    hand: Sequence[Card], melds: tuple[Meld, ...], next_id: int, seat: Seat, *, must: Card | None = None,
    spare: bool = False, jokers_on_table: bool = True, budget: int = MIXES,
) -> Suggestion | None:  # fmt: skip
    """The richest single meld move of a hand and the points it brings, or None if nothing can be laid.

    `must` is a card it has to use; `spare`: one card must stay in the hand. It is the richest there is, or when the
    budget of mixes runs out the richest of those looked at.
    """

    def plan(cards: Sequence[Card], budget: int) -> Suggestion | None:
        mix = richest(cards, melds, STYLE, face_worth, must=must, jokers_on_table=jokers_on_table, budget=budget)
        found = _Layout(cards, melds, next_id, seat, must, jokers_on_table).lay(mix) if mix else None
        return found if found and (must is None or must in used(found.move)) else None

    found = plan(hand, budget)
    if spare and found and len(used(found.move)) == len(hand):
        found, most = None, held(hand)
        for card in sorted((c for c in hand if c != must), key=lambda c: (POINTS[c[0]], c)):
            if found and found.points >= most - POINTS[card[0]]:
                break
            less = plan([c for c in hand if c != card], max(1, budget // len(hand)))
            if less and (found is None or less.points > found.points):
                found = less
    if found is None and must is not None:
        only = way(must, [c for c in hand if c != must], melds, spare=spare)
        return Suggestion(move=only.move, points=apply(melds, next_id, seat, only.move).points) if only else None
    return found


class _Layout:
    """Turns a mix of faces into a move with cards."""

    def __init__(
        self, cards: Sequence[Card], melds: tuple[Meld, ...], next_id: int, seat: Seat, must: Card | None,
        jokers_on_table: bool,
    ) -> None:  # fmt: skip
        self.melds, self.next_id, self.seat, self.jokers_on_table = melds, next_id, seat, jokers_on_table
        self.must = must
        self.left = sorted(cards, key=lambda c: (c != must, c))  # the card that must be used goes first of its face
        self.new: list[NewMeld] = []
        self.plays: list[Play] = []

    def lay(self, mix: Mix) -> Suggestion:
        """The move that lays a mix and whatever else then fits."""
        after: list[Play] = []
        for suit, piece in mix.pieces:
            if piece.on < 0:
                self._new_run(suit, piece, after)
        runs = [m for m in self.melds if isinstance(m, Run)]
        for suit, piece in mix.pieces:
            if piece.on >= 0:
                self._onto(suit, piece, [m for m in runs if m.suit == suit][piece.on])
        for rank, jokers in mix.sets:
            naturals = [c for c in self.left if c[0] == rank]
            self._meld([*naturals, *self._jokers()[:jokers]])
        self.plays += after
        self._rest()
        move = Lay(tuple(self.new), tuple(self.plays))
        return Suggestion(move=move, points=apply(self.melds, self.next_id, self.seat, move).points)

    def _jokers(self) -> list[Card]:
        return [c for c in self.left if c[0] == "*"]

    def _natural(self, suit: str, position: int) -> Card:
        face = RANKS[(position - 1) % 13] + suit
        card = next(c for c in self.left if c[:2] == face)
        self.left.remove(card)
        return card

    def _fill(self, suit: str, piece: Piece, places: Sequence[int]) -> list[Card]:
        jokers = self._jokers()
        cards = []
        for p in places:
            if piece.ranks >> (p - 1) % 13 & 1:
                cards.append(self._natural(suit, p))
            else:
                cards.append(jokers.pop(0))
                self.left.remove(cards[-1])
        return cards

    def _meld(self, cards: list[Card]) -> None:
        self.new.append(NewMeld(tuple(cards)))
        self.left = [c for c in self.left if c not in cards]

    def _new_run(self, suit: str, piece: Piece, after: list[Play]) -> None:
        cards = self._fill(suit, piece, range(piece.lo, piece.hi + 1))
        more = piece.jokers - sum(c[0] == "*" for c in cards)
        cards += self._jokers()[:more]
        placing = arrange(cards, STYLE)
        if placing and cards[-1][0] == "A" and placing.cards[-1] != cards[-1]:  # would be read low: play it high
            after.append(Play(cards[-1], f"n{len(self.new)}", "high"))
            self.left = [c for c in self.left if c != cards[-1]]
            cards = cards[:-1]
        self._meld(cards)

    def _onto(self, suit: str, piece: Piece, run: Run) -> None:
        places = range(piece.lo, piece.hi + 1)
        cards = self._fill(suit, piece, places if piece.end == "high" else places[::-1])
        self.plays += [Play(c, run.id, piece.end) for c in cards]

    def _rest(self) -> None:
        """Play every card that still fits, the dearest first, jokers last and on new melds before others."""
        laid = apply(self.melds, self.next_id, self.seat, Lay(tuple(self.new), tuple(self.plays)))
        table = {m.id: m for m in laid.melds}
        again = True
        while again:
            again = False
            for card in sorted(self.left, key=lambda c: (c[0] == "*", -POINTS[c[0]], c != self.must, c)):
                if self._play(card, table):
                    again = True
                    break

    def _play(self, card: Card, table: dict[int, Meld]) -> bool:
        places = []
        for meld in table.values():
            new = meld.id >= self.next_id
            if card[0] == "*" and not new and not self.jokers_on_table:
                continue
            for end in fits(meld, card, STYLE):
                low_ace = card[0] == "A" and end == "low"
                places.append((low_ace, not new, end is None, end == "low", meld.id, end))
        if not places:
            return False
        *_, key, end = min(places, key=lambda p: p[:5])
        table[key] = extend(table[key], card, self.seat, STYLE, end)
        name: int | str = key if key < self.next_id else f"n{key - self.next_id}"
        self.plays.append(Play(card, name, end))
        self.left.remove(card)
        return True
