"""Offers in the making: a seat that asks the rules what they refuse, and how melds are called."""

from collections.abc import Callable
from typing import Any, TypeAlias

from domain.cards import RANKS, Card, Ms, Seat, is_joker
from domain.chance import Chance
from domain.contract_rummy.contracts import LAST, held
from domain.contract_rummy.state import Exchange, GoDown, GoOut, Move, NewMeld, NewRun, State
from domain.game import Illegal, Offer
from domain.melds import Meld, Set
from domain.words import show

Playing: TypeAlias = Callable[[State, Seat, Any, Ms, Chance], Any]


class Piece(Offer, frozen=True, kw_only=True):
    """Something to build a contract of, which is not sent by itself: `move` is null and `why` says what is to come.

    part: a meld to lay (kind "set" or "run"), as `arrange` keeps it, or (kind "star") the exchange that wins a joker
    of the table; null where the cards make no such thing. wins: that joker.
    """

    part: NewMeld | NewRun | Exchange | None = None
    wins: Card | None = None


class SwapOffer(Offer, frozen=True, kw_only=True):
    """A swap: `meld` and `end` say where the joker `wins` goes, the move which run it comes from."""

    wins: Card


class Asker:
    """A table, a seat at it, and the rules that say whether it may make a move."""

    def __init__(self, s: State, seat: Seat, play: Playing) -> None:
        self.s, self.seat, self._play = s, seat, play
        self.hand, self.down, self.last = s.hands[seat], s.down[seat], s.deals == LAST
        self.free = s.phase == "play" and s.turn == seat  # to lay cards and to discard

    def no(self, move: Move) -> Illegal | None:
        """The refusal of a move, or None if it is legal. What it would draw from the stock is never looked at."""
        try:
            self._play(self.s, self.seat, move, Ms(0), Chance(bytes(32)))
        except Illegal as no:
            return no
        return None

    def offer(self, words: str, move: Move, **more: Any) -> Offer:
        """The move with words for it, or with the reason why it is refused."""
        kind, no = move.__struct_config__.tag, self.no(move)
        if no is not None:
            return Offer(kind=str(kind), words=words, why=no.words)
        return Offer(kind=str(kind), words=words, move=move, **more)

    def why(self, move: Move) -> str:
        """The words of a refusal that is certain."""
        no = self.no(move)
        assert no is not None
        return no.words

    @property
    def lays(self) -> str:
        """The kind of move that lays cards now."""
        return "lay_off" if self.down else "go_out" if self.last else "go_down"

    def part(self, new: NewMeld) -> NewMeld | NewRun:
        """A meld as `arrange` takes it."""
        return NewRun(new.cards, new.low_jokers, new.suit, new.lo) if self.last else new


def whole(ask: Asker, words: str, move: GoDown | GoOut) -> Offer:
    """All that is to be laid in one move."""
    gone = set(ask.hand)
    if isinstance(move, GoDown):
        gone &= {card for meld in move.melds for card in meld.cards} | {swap.card for swap in move.swaps}
    return ask.offer(words, move, points=held(gone))


def called(meld: Meld) -> str:
    """A meld of the table in words."""
    if isinstance(meld, Set):
        return f"set of {rank_word(meld.rank)}s"
    return f"run {span(meld.suit, meld.lo, meld.hi)}"


def rank_word(rank: str) -> str:
    return rank.replace("T", "10")


def span(suit: str, lo: int, hi: int) -> str:
    return "–".join(show(RANKS[(p - 1) % len(RANKS)] + suit) for p in (lo, hi))


def named(card: Card) -> str:
    return "A joker" if is_joker(card) else show(card)
