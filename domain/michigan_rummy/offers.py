"""What a seat can do with the cards it has picked, and why not: words for buttons, moves to send (RULES.md).

Every refusal is what the rules themselves say to the move that was tried. All follows from what the seat sees.
"""

from collections.abc import Iterator, Sequence
from itertools import product

from domain.cards import RANKS, Card, Seat
from domain.chance import ZERO, Chance
from domain.game import Illegal
from domain.melds import Meld, Run, Set, arrange, fits, positions, run_choices
from domain.michigan_rummy import moves
from domain.michigan_rummy.best import best
from domain.michigan_rummy.lay import used
from domain.michigan_rummy.legal import compound
from domain.michigan_rummy.points import STYLE
from domain.michigan_rummy.state import Discard, Draw, Lay, NewMeld, Play, Ready, State, Take
from domain.offers import Offer
from domain.words import row, show

MIX = 300  # mixes of the picked cards looked at, where they go in more than one place
NAMED = 4  # a button names no more cards than this
_PLURAL = {"A": "aces", "J": "jacks", "Q": "queens", "K": "kings", "T": "10s"}
_NO_CHANCE = Chance(ZERO)  # no move that is tried here draws a card


def offers(s: State, seat: Seat, picked: Sequence[Card]) -> tuple[Offer, ...]:
    """All that the seat can do with the picked cards of its hand, and what it would look for and cannot do."""
    if s.phase == "scored":
        return () if s.ready[seat] else (Offer(kind="ready", words="Next hand", move=Ready()),)
    if s.phase == "over" or seat != s.turn:
        return ()
    cards = list(dict.fromkeys(picked))
    if not set(cards).issubset(s.hands[seat]):
        return (Offer(kind="none", words="Nothing", why="A card you picked is not in your hand."),)
    if s.phase == "draw":
        return (_draw(s, seat), *_takes(s, seat), *_later(cards))
    return (
        *(_melds(s, seat, cards) if cards else _owed(s, seat)),
        _all(s, seat),
        _discard(s, seat, cards),
        Offer(kind="draw", words="Draw", why="You have drawn already: meld or discard."),
        Offer(kind="take", words="Take", why="You have your card already: meld or discard."),
    )


def _draw(s: State, seat: Seat) -> Offer:
    if s.stock:
        return Offer(kind="draw", words="Draw", move=Draw())
    if len(s.pile) > 1:
        return Offer(kind="draw", words="Reshuffle and draw", move=Draw())
    try:
        moves.draw(s, seat, Draw(), _NO_CHANCE)
    except Illegal as no:
        return Offer(kind="draw", words="Stock's out", why=no.words)
    raise AssertionError("a stock without a card was drawn from")


def _takes(s: State, seat: Seat) -> Iterator[Offer]:
    """One offer for each card of the pile, the oldest first."""
    size = len(s.pile)
    for at, card in enumerate(s.pile):
        words = f"Take {show(card)}" if at == size - 1 else f"Take {size - at} cards"
        try:
            moves.take(s, seat, Take(at), _NO_CHANCE)
        except Illegal as no:
            yield Offer(kind="take", words=words, why=no.words, at=at)
        else:
            yield Offer(kind="take", words=words, move=Take(at), at=at)


def _later(cards: Sequence[Card]) -> Iterator[Offer]:
    """What comes only after the draw."""
    for kind, words in (("meld", "Meld" if cards else "Meld all I can"), ("discard", "Discard")):
        yield Offer(kind=kind, words=words, why="Draw or take first.")


def _owed(s: State, seat: Seat) -> Iterator[Offer]:
    """Without picks: the shortest way to meld a card that has to be melded, or that cards must be picked."""
    if s.must is None:
        yield Offer(kind="meld", words="Meld", why="Pick the cards that you want to meld.")
        return
    move = compound(s, seat)
    others = [card for card in used(move) if card != s.must]
    if move.plays:
        on = next(meld for meld in s.melds if meld.id == move.plays[0].meld)
        words = f"Play {_named(move.plays, on)} on {_title(on)}"
    else:
        words = f"Meld {show(s.must)} with {row(others)}"
    yield _lay(s, seat, move, words)


def _all(s: State, seat: Seat) -> Offer:
    """The richest meld move of the whole hand."""
    words = "Meld all I can"
    found = best(s.hands[seat], s.melds, s.next_id, seat, must=s.must, spare=s.options.discard_out == "on")
    if found is None:
        return Offer(kind="meld", words=words, why="No card in your hand can be melded now.")
    return Offer(kind="meld", words=words, move=found.move, points=found.points)


def _discard(s: State, seat: Seat, cards: Sequence[Card]) -> Offer:
    card = cards[0] if len(cards) == 1 else None
    words = f"Discard {show(card)}" if card else "Discard"
    try:
        moves.discard(s, seat, Discard(card or s.hands[seat][0]), _NO_CHANCE)
    except Illegal as no:
        return Offer(kind="discard", words=words, why=no.words)
    if card is None:
        why = "Discard one card only." if cards else "Pick the card that you want to discard."
        return Offer(kind="discard", words=words, why=why)
    on = next((meld for meld in s.melds if fits(meld, card, STYLE)), None)
    caution = None
    if on is not None and len(s.hands[seat]) > 1:
        caution = f"{show(card).capitalize()} can be played on {_title(on)}."
    return Offer(kind="discard", words=words, move=Discard(card), caution=caution)


def _melds(s: State, seat: Seat, cards: Sequence[Card]) -> list[Offer]:
    """The picked cards as a new meld, on each meld of the table, or in several places at once."""
    new = list(_new(s, seat, cards))
    onto = [offer for meld in s.melds for offer in _onto(s, seat, cards, meld)]
    if any(offer.move for offer in new):
        return [*new, *onto]
    if any(offer.move for offer in onto):
        return onto  # a meld of their own is not what these cards are picked for
    mixed = _mixed(s, seat, cards)
    return [*([mixed] if mixed else new), *onto]


def _new(s: State, seat: Seat, cards: Sequence[Card]) -> Iterator[Offer]:
    """The cards as a new meld: a set, or a run for each place of its spare jokers, those above it first."""
    naturals = [card for card in cards if card[0] != "*"]
    if len({card[0] for card in naturals}) == 1 or len({card[1] for card in naturals}) != 1:
        name = _PLURAL.get(naturals[0][0], f"{naturals[0][0]}s") if naturals else ""
        yield _lay(s, seat, Lay(melds=(NewMeld(tuple(cards)),)), f"Meld a set of {name}", refused="Meld")
        return
    choices = run_choices(cards, STYLE)
    if len(choices) < 2:
        words = f"Meld the run {_span(choices[0].lo, len(cards), naturals[0][1])}" if choices else "Meld a run"
        yield _lay(s, seat, Lay(melds=(NewMeld(tuple(cards)),)), words, refused="Meld")
        return
    jokers = range(len(cards) - len(naturals) + 1)
    for choice in choices:
        low = next(n for n in jokers if arrange(cards, STYLE, n) == choice)
        words = f"Run {_span(choice.lo, len(cards), naturals[0][1])}, {_spare(choice.cards)}"
        move = Lay(melds=(NewMeld(choice.cards, None, low),))
        yield _lay(s, seat, move, words, refused="Meld")


def _spare(cards: Sequence[Card]) -> str:
    """Where the spare jokers of a run lie.

    >>> _spare(("*1", "5H1", "6H1")), _spare(("*1", "5H1", "6H1", "*2"))
    ('joker low', '1 joker low, 1 high')
    """
    at = [i for i, card in enumerate(cards) if card[0] != "*"]
    low, high = at[0], len(cards) - 1 - at[-1]
    if low and high:
        return f"{low} joker{'s' * (low > 1)} low, {high} high"
    return f"joker{'s' * (max(low, high) > 1)} {'low' if low else 'high'}"


def _onto(s: State, seat: Seat, cards: Sequence[Card], meld: Meld) -> Iterator[Offer]:
    """The cards on one meld of the table, in each way in which all of them go there."""
    ways = list(_ways(cards, meld))
    if not ways:
        plays = tuple(Play(card, meld.id) for card in cards)
        why = _why(s, seat, Lay(plays=plays), several=len(cards) > 1)
        yield Offer(kind="meld", words=f"Play on {_title(meld)}", why=why, meld=meld.id)
    for plays in ways:
        ends = {play.end for play in plays}
        named = _named(plays, meld) if len(ways) > 1 or len(plays) <= NAMED else f"{len(plays)} cards"
        words = f"Play {named} on {_title(meld)}"
        end = plays[0].end if len(ends) == 1 else None
        yield _lay(s, seat, Lay(plays=plays), words, meld.id, end)


def _why(s: State, seat: Seat, move: Lay, *, several: bool) -> str:
    """Why cards that do not all go on a meld may not be played on it."""
    try:
        moves.lay(s, seat, move, _NO_CHANCE)
    except Illegal as no:
        if not several or no.code in ("MUST_FIRST", "KEEP_ONE"):
            return no.words
    return "These cards do not all go there."


def _ways(cards: Sequence[Card], meld: Meld) -> Iterator[tuple[Play, ...]]:
    """The ways in which all of the cards go on a meld, as plays in order."""
    if isinstance(meld, Set):
        if all(fits(meld, card, STYLE) for card in cards):
            yield tuple(Play(card, meld.id) for card in cards)
        return
    naturals = [card for card in cards if card[0] != "*"]
    jokers = sorted((card for card in cards if card[0] == "*"), key=lambda card: int(card[1:]))
    if any(card[1] != meld.suit for card in naturals):
        return
    taken = range(meld.lo, meld.hi + 1)
    for at in product(*(positions(card, STYLE) for card in naturals)):
        if len(set(at)) < len(at) or any(p in taken for p in at):
            continue
        lo, hi = min((*at, meld.lo)), max((*at, meld.hi))
        spare = len(jokers) - (hi - lo + 1 - len(taken) - len(at))
        for low in range(spare, -1, -1):
            if lo - low >= STYLE.low and hi + spare - low <= STYLE.high:
                by_place = dict(zip(at, naturals, strict=True))
                yield _in_order(by_place, jokers, meld, lo - low, hi + spare - low)


def _in_order(
    by_place: dict[int, Card], jokers: Sequence[Card], run: Run, lo: int, hi: int
) -> tuple[Play, ...]:
    """Plays that make a run reach from `lo` to `hi`, jokers where no natural is given for a place."""
    wild = iter(jokers)
    down = [Play(by_place.get(p) or next(wild), run.id, "low") for p in range(run.lo - 1, lo - 1, -1)]
    return (*down, *(Play(by_place.get(p) or next(wild), run.id, "high") for p in range(run.hi + 1, hi + 1)))


def _mixed(s: State, seat: Seat, cards: Sequence[Card]) -> Offer | None:
    """All of the cards in several melds or places at once, if they go there."""
    if len(cards) < 2 or (s.must is not None and s.must not in cards):
        return None
    found = best(cards, s.melds, s.next_id, seat, must=s.must, budget=MIX)
    if found is None or len(used(found.move)) < len(cards):
        return None
    return _lay(s, seat, found.move, f"Meld these {len(cards)} cards")


def _lay(
    s: State, seat: Seat, move: Lay, words: str, meld: int | None = None, end: str | None = None,
    refused: str | None = None,
) -> Offer:  # fmt: skip
    """The offer of a meld move, or the rules' refusal of it; `refused`: its words then, where they differ."""
    try:
        after = moves.lay(s, seat, move, _NO_CHANCE).state
    except Illegal as no:
        return Offer(kind="meld", words=refused or words, why=no.words, meld=meld, end=end)
    points = after.melded[seat] - s.melded[seat]
    return Offer(kind="meld", words=words, move=move, points=points, meld=meld, end=end)


def _title(meld: Meld) -> str:
    if isinstance(meld, Run):
        return f"the run {_span(meld.lo, len(meld.cards), meld.suit)}"
    return f"the set of {_PLURAL.get(meld.rank, f'{meld.rank}s')}"


def _span(lo: int, size: int, suit: str) -> str:
    """A run by its ends.

    >>> _span(12, 3, "H")
    'Q♥–A♥'
    """
    return f"{_face(lo, suit)}–{_face(lo + size - 1, suit)}"


def _face(position: int, suit: str) -> str:
    return show(RANKS[(position - 1) % len(RANKS)] + suit)


def _named(plays: Sequence[Play], meld: Meld) -> str:
    """The played cards as people write them, a joker with what it stands for, an ace with its end."""
    if isinstance(meld, Set):
        return row(play.card for play in plays)
    said = []
    lo, hi = meld.lo, meld.hi
    for play in plays:
        lo, hi = (lo - 1, hi) if play.end == "low" else (lo, hi + 1)
        name = show(play.card)
        if play.card[0] == "*":
            name += f" as {_face(lo if play.end == 'low' else hi, meld.suit)}"
        elif play.card[0] == "A":
            name += f" {play.end}"
        said.append(name)
    return ", ".join(said)
