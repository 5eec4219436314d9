"""What picked cards can do once a seat is down: places on the table's melds, and jokers that a card wins."""

from collections.abc import Iterator, Sequence

from domain.cards import Card, is_joker
from domain.contract_rummy.asker import Asker, SwapOffer, called, named
from domain.contract_rummy.contracts import STYLE, held
from domain.contract_rummy.lay import joker_places, put_on, swap_in
from domain.contract_rummy.layoff import lay_offs, sort_out
from domain.contract_rummy.state import LayOff, Play, Swap
from domain.game import Offer
from domain.melds import End, Meld, Run, Set, fits, positions
from domain.words import row, show


def all_off(ask: Asker) -> Offer:
    """Every card that has just one place, as one lay-off."""
    words, s = "Play all I can", ask.s
    if not ask.free or s.went_down:
        return Offer(kind="lay_off", words=words, why=ask.why(LayOff((Play(ask.hand[0], 0),))))
    found = sort_out(lay_offs(ask.hand, s.melds), s.melds)
    if found.plays:
        return ask.offer(words, LayOff(found.plays), points=held(play.card for play in found.plays))
    cards = " and ".join(show(card) for card, _ in found.choose)
    why = f"Pick a place for {cards}." if cards else "None of your cards goes on the table."
    return Offer(kind="lay_off", words=words, why=why)


def takes(meld: Meld, card: Card) -> bool:
    return bool(fits(meld, card, STYLE)) or (isinstance(meld, Run) and bool(joker_places(meld, card)))


def off(ask: Asker, picked: tuple[Card, ...]) -> Iterator[Offer]:
    """Everywhere that the cards go together, the cards each in its one place, and jokers that a card wins."""
    s, words = ask.s, f"Play {show(picked[0])}" if len(picked) == 1 else f"Play {len(picked)} cards"
    if s.went_down:
        yield Offer(kind="lay_off", words=words, why=ask.why(LayOff((Play(picked[0], 0),))))
        return
    spots = [(meld, plays) for meld in s.melds for plays in _onto(meld, picked)]
    for meld, plays in spots:
        ends = {play.end for play in plays}
        end = ends.pop() if len(ends) == 1 else None
        both = sum(other is meld for other, _ in spots) > 1
        more = f"{words} on the {called(meld)}{f', {end} end' if end and both else ''}"
        yield ask.offer(more, LayOff(plays), points=held(picked), meld=meld.id, end=end)
    each = _each(picked, s.melds) if len(picked) > 1 else None
    if each is not None:
        yield ask.offer(words, LayOff(each), points=held(picked))
    swaps = list(_swaps(ask, picked[0])) if len(picked) == 1 else []
    yield from swaps
    if not spots and not swaps and each is None:
        yield Offer(kind="lay_off", words=words, why=_stuck(picked, s.melds))


def _stuck(picked: tuple[Card, ...], melds: Sequence[Meld]) -> str:
    nowhere = [card for card in picked if not any(fits(meld, card, STYLE) for meld in melds)]
    if not nowhere:
        return "These cards go in several places: play them one by one."
    if len(picked) == 1:
        return f"{named(picked[0])} goes on no meld of the table."
    return f"These cards do not all go on the table: {row(nowhere)}."


def _onto(meld: Meld, picked: Sequence[Card]) -> Iterator[tuple[Play, ...]]:
    """The ways to put all these cards on one meld: on a run one for each place where it could start then."""
    if isinstance(meld, Set):
        if all(fits(meld, card, STYLE) for card in picked):
            yield tuple(Play(card, meld.id) for card in picked)
        return
    size = len(meld.cards) + len(picked)
    for lo in range(meld.lo, max(STYLE.low, meld.lo - len(picked)) - 1, -1):
        if lo + size - 1 > STYLE.high or size > STYLE.run_max:
            continue
        ends: list[tuple[int, End]] = [(p, "low") for p in range(meld.lo - 1, lo - 1, -1)]
        ends += [(p, "high") for p in range(meld.hi + 1, lo + size)]
        plays = _filled(meld, ends, picked)
        if plays is not None:
            yield plays


def _filled(run: Run, ends: Sequence[tuple[int, End]], picked: Sequence[Card]) -> tuple[Play, ...] | None:
    """These cards in these positions, jokers where no natural belongs, or None."""
    naturals, jokers = [c for c in picked if not is_joker(c)], [c for c in picked if is_joker(c)]
    plays = []
    for p, end in ends:
        card = next((c for c in naturals if c[1] == run.suit and p in positions(c, STYLE)), None)
        if card is not None:
            naturals.remove(card)
        elif jokers:
            card = jokers.pop(0)
        else:
            return None
        plays.append(Play(card, run.id, end))
    return tuple(plays)


def _each(picked: Sequence[Card], melds: Sequence[Meld]) -> tuple[Play, ...] | None:
    """All these cards, each where alone it goes once those before it lie, or None if one has no place or several."""
    table, left, plays = {meld.id: meld for meld in melds}, list(picked), list[Play]()
    while left:
        for card in left:
            places = [(meld, end) for meld in table.values() for end in fits(meld, card, STYLE)]
            if len(places) == 1:
                break
        else:
            return None
        ((meld, end),) = places
        put_on(table, meld.id, card, meld.owner, end)
        plays.append(Play(card, meld.id, end))
        left.remove(card)
    return tuple(plays)


def _swaps(ask: Asker, card: Card) -> Iterator[Offer]:
    """Everywhere that a joker which the card wins can go."""
    for run in ask.s.melds:
        if not isinstance(run, Run) or not joker_places(run, card):
            continue
        table = {meld.id: meld for meld in ask.s.melds}
        joker = swap_in(table, run.id, card, ask.seat)
        for to in table.values():
            ends = fits(to, joker, STYLE)
            for end in ends:
                more = f", {end} end" if len(ends) > 1 else ""
                move = Swap(card, run.id, to.id, end)
                words = f"Win the joker with {show(card)}, lay it on the {called(to)}{more}"
                done = ask.offer(words, move)
                if done.move is None:
                    yield done
                else:
                    yield SwapOffer(
                        kind="swap", words=words, move=move, points=held((card,)), meld=to.id, end=end, wins=joker
                    )
