"""What a seat can do with the cards it has picked, said for buttons and places on the table (RULES.md, "Moves").

What cannot be done is refused in the words of the rules themselves: the move is tried, and never kept.
"""

from collections.abc import Iterable, Iterator, Sequence

from domain.cards import Card, Seat, is_joker
from domain.contract_rummy.asker import Asker, Piece, Playing, named, whole
from domain.contract_rummy.contracts import Contract, contract
from domain.contract_rummy.final import progress
from domain.contract_rummy.moves import ends_hand
from domain.contract_rummy.pieces import build, laid, stars
from domain.contract_rummy.places import all_off, off, takes
from domain.contract_rummy.plan import best
from domain.contract_rummy.state import (
    Buy,
    BuyPref,
    Decline,
    Discard,
    Draw,
    GoDown,
    GoOut,
    Pass,
    PassFor,
    Pref,
    Ready,
    State,
    Take,
)  # fmt: skip
from domain.contract_rummy.suggest import suggest
from domain.contract_rummy.window import eligible
from domain.game import Offer
from domain.words import show

_PREFS: dict[Pref, str] = {
    "ask": "Ask me about every discard", "helps": "Ask only while it could help", "never": "Never ask me",
}  # fmt: skip


def offers(s: State, seat: Seat, picked: Sequence[Card], play: Playing) -> tuple[Offer, ...]:
    """What a seat may do with cards picked from its hand, or with none. `play`: the rules, to ask what they refuse."""
    if s.phase == "over":
        return ()
    ask = Asker(s, seat, play)
    return tuple(_picked(ask, tuple(dict.fromkeys(picked))) if picked else _bare(ask))


# Without cards


def _bare(ask: Asker) -> Iterator[Offer]:
    s = ask.s
    if s.phase == "scored":
        yield ask.offer("Next hand", Ready())
    else:
        yield from _drawing(ask)
        yield from _buying(ask)
        yield _laying(ask)
        yield _no_card(ask)
        if ask.free and ask.down and not s.went_down:
            for card in ask.hand:
                yield from stars(ask, card, f"Pick {show(card)} to win this joker.")
    for pref, words in _PREFS.items():
        yield ask.offer(words, BuyPref(pref))


def _drawing(ask: Asker) -> Iterator[Offer]:
    s, top = ask.s, len(ask.s.pile) - 1
    yield ask.offer(f"Take {show(s.pile[-1])}" if s.pile else "Take", Take(), at=top if s.pile else None)
    words, caution = "Draw" if s.stock or s.phase != "draw" else "Reshuffle and draw", None
    if ends_hand(s):
        words = "End the hand"
        caution = "The stock is out and cannot be remade: drawing ends the hand, and everyone's cards count."
    yield ask.offer(words, Draw(), caution=caution)
    if s.phase == "draw" and s.turn == ask.seat and s.window is not None and not s.window.shut:
        yield ask.offer("Wait for the stock", Decline())


def _buying(ask: Asker) -> Iterator[Offer]:
    s, w = ask.s, ask.s.window
    if w is None:
        return
    if ask.seat != s.turn:
        yield ask.offer(f"Buy {show(w.card)}", Buy(w.id))
        if ask.seat in eligible(s):
            yield ask.offer("No thanks", Pass())
    for slow in w.slow:
        if slow != ask.seat:
            yield ask.offer(f"Pass for seat {slow + 1}", PassFor(slow))


def _laying(ask: Asker) -> Offer:
    """The whole contract, the whole last hand, or once down all that can be laid off."""
    if ask.down:
        return all_off(ask)
    words = "Go out" if ask.last else "Go down"
    if not ask.free:
        return Offer(kind=ask.lays, words=words, why=ask.why(GoOut(()) if ask.last else GoDown(())))
    found = suggest(ask.hand, ask.s.melds, ask.s.deals)
    if found is not None:
        return whole(ask, words, found.move)
    wanted = contract(ask.s.deals)
    near = best(ask.hand, wanted.sets, wanted.runs)
    if not near.missing and not ask.last:
        return whole(ask, words, laid(ask.hand, near.parts))
    return Offer(kind=ask.lays, words=words, why=_missing(progress(ask.hand) if ask.last else near.missing, wanted))


def _missing(count: int, wanted: Contract) -> str:
    asked = [f"{n} {what}{'s' if n > 1 else ''}" for n, what in ((wanted.sets, "set"), (wanted.runs, "run")) if n]
    cards = "A card is" if count == 1 else f"{count} cards are"
    return f"{cards} missing: you need {' and '.join(asked)}."


def _no_card(ask: Asker) -> Offer:
    why = "Pick the card to discard." if ask.free else ask.why(Discard(ask.hand[0]))
    return Offer(kind="discard", words="Discard", why=why)


# With cards


def _picked(ask: Asker, picked: tuple[Card, ...]) -> Iterator[Offer]:
    foreign = [card for card in picked if card not in ask.hand]
    building = ask.free and not ask.down and not ask.last
    if foreign and not (building and all(card.startswith("*") for card in foreign)):
        yield Offer(kind="none", words="Nothing", why="A card you picked is not in your hand.")
        return
    if not ask.free:
        if ask.s.phase == "draw":  # cards may be picked while others are waited for
            yield from _drawing(ask)
            yield from _buying(ask)
        words = ask.why(Discard(picked[0]))
        yield Offer(kind=ask.lays, words="Play" if ask.down else "Lay", why=words)
        yield Offer(kind="discard", words="Discard", why=words)
        return
    yield from _once(off(ask, picked) if ask.down else build(ask, picked, foreign))
    if len(picked) > 1:
        yield Offer(kind="discard", words="Discard", why="Pick just one card to discard.")
    elif not foreign:
        yield _discard(ask, picked[0])


def _once(found: Iterable[Offer]) -> Iterator[Offer]:
    """The offers, the same refusal of the same kind just once."""
    told = set()
    for offer in found:
        if offer.move is None and not isinstance(offer, Piece):
            if (offer.kind, offer.why) in told:
                continue
            told.add((offer.kind, offer.why))
        yield offer


def _discard(ask: Asker, card: Card) -> Offer:
    caution, s = None, ask.s
    if len(ask.hand) > 1:
        if ask.down and not s.went_down and any(takes(meld, card) for meld in s.melds):
            caution = f"{named(card)} can still be played on the table. Discard it all the same?"
        elif is_joker(card):
            caution = "A joker stands for any card. Discard it all the same?"
    return ask.offer(f"Discard {show(card)}", Discard(card), caution=caution)
