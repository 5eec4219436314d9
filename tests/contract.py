"""What every game must keep, whichever it is. Each check takes a game and plays it at random; it raises AssertionError.

A game needs nothing of its own for this: only its rules, and `PUBLIC` where its sheet says more than the common one.
"""

import random
from collections.abc import Callable
from typing import Any, get_args

import msgspec

from domain import canon
from domain.cards import Ms, Seat, is_card
from domain.chance import Chance
from domain.events import Moved
from domain.game import Illegal, Step
from domain.offers import named
from domain.table import Diverged
from tests.house import House, bits, raw_events, replay, wander
from tests.secrecy import check_secrets
from tests.walk import CARD, AnyGame, Moment, answer, commands, moments, parts, walk

# Fields of a position that are public in every game (common rules, "Views"), and what a game's sheet adds.
COMMON = frozenset({"seats", "phase", "turn", "dealer", "deals", "melds", "pile", "scores", "totals", "closes"})
PUBLIC = {
    "rummy": frozenset({
        "taken", "known", "remade", "reuses", "circling", "before", "due", "held", "outs", "lost", "winners",
    }),
    "michigan_rummy": frozenset({"melded", "took", "must", "ready", "stalled", "reshuffles", "out", "winners"}),
    "contract_rummy": frozenset({
        "known", "remade", "down", "down_at", "went_down", "laid", "ready", "reshuffles", "turns", "moves", "out",
        "winners",
    }),
    "thai_rummy": frozenset(
        {"took", "known", "thrower", "fed", "dark", "gifts", "passes", "moves", "ready", "out", "winners"}
    ),
}
OPEN_HANDS = frozenset({"michigan_rummy", "contract_rummy", "thai_rummy", "rum_500", "michigan_board", "whispers"})


def each_moment(check: Callable[[Moment, random.Random], None]) -> Callable[[AnyGame, int, Any, int], None]:
    """A check of one moment made into one of a whole random game."""

    def checked(game: AnyGame, seats: int, options: Any, seed: int) -> None:
        rng = random.Random(seed)
        for moment in moments(game, seats, options, seed):
            check(moment, rng)

    checked.__name__, checked.__doc__ = check.__name__, check.__doc__
    return checked


def check_cards(game: AnyGame, seats: int, options: Any, seed: int) -> None:
    """All places together are the same pack after every step, each card once."""
    first: list[str] = []
    for moment in walk(game, seats, options, seed):
        cards = sorted(card for zone in game.zones(moment.state).values() for card in zone)
        first = first or cards
        assert all(map(is_card, cards))
        assert len(set(cards)) == len(cards), "a card lies in two places"
        assert cards == first, "cards were lost or made"


def check_decisions(game: AnyGame, seats: int, options: Any, seed: int) -> None:
    """Someone is asked, or a clock runs, until the game is over; a key dies with its question and never comes back."""
    dead: set[tuple[int, str]] = set()
    before: set[tuple[int, str]] = set()
    for moment in walk(game, seats, options, seed):
        asked = game.deciding(moment.state)
        live = {(d.seat, d.key) for d in asked}
        assert len(live) == len(asked), "two questions with one key"
        assert [d.seat for d in asked] == sorted(d.seat for d in asked)
        assert all(0 <= d.seat < seats and d.key and d.kind for d in asked)
        over = game.outcome(moment.state) is not None
        assert bool(asked or game.due(moment.state)) != over
        assert not live & dead, "a key came back"
        if moment.move is not None and _tag(moment.move) not in game.keyless:
            mine = {pair for pair in before if pair[0] == moment.seat}
            assert mine - live, "a seat moved and its question kept its key"
        dead |= before - live
        before = live


@each_moment
def check_fallback(moment: Moment, _: random.Random) -> None:
    """Every seat that is asked has moves, and a fallback that is accepted."""
    for seat in moment.asked():
        assert list(moment.game.legal(moment.state, seat))
        try:
            moment.try_move(seat, moment.game.fallback(moment.state, seat))
        except Illegal as no:
            raise AssertionError(f"the fallback of seat {seat} is refused: {no.code}") from no


@each_moment
def check_legal(moment: Moment, rng: random.Random) -> None:
    """What is offered is accepted, and a one-part command that is accepted does what something offered does."""
    game, s = moment.game, moment.state
    for seat in map(Seat, range(moment.seats)):
        offered = list(game.legal(s, seat))
        asked = seat in moment.asked()
        assert asked or all(_tag(move) in game.keyless for move in offered), "moves for a seat that is not asked"
        effects = set()
        for move in offered:
            assert game.parse(msgspec.to_builtins(move)) == move
            try:
                effects.add(_effect(game, moment.try_move(seat, move)))
            except Illegal as no:
                raise AssertionError(f"{move} is offered and refused {no.code}") from no
        for raw in commands(moment, seat, rng, 40 if asked else 3):
            step = answer(moment, seat, raw)
            if isinstance(step, Step) and parts(game.parse(raw)) == 1:
                assert _effect(game, step) in effects, f"{raw} is accepted and was not offered"


def _tag(move: Any) -> str:
    return str(msgspec.to_builtins(move)["type"])


def _effect(game: AnyGame, step: Step) -> bytes:
    """The position after a step, whatever the order in which the cards of a set were named."""
    raw = msgspec.to_builtins(game.position(step.state))
    for meld in raw.get("melds", ()):
        if meld.get("kind") == "set":
            pairs = sorted(zip(meld["cards"], meld.get("by", meld["cards"]), strict=True))
            meld["cards"], meld["by"] = [card for card, _ in pairs], [seat for _, seat in pairs]
    return canon.encode(raw)


@each_moment
def check_refusals(moment: Moment, rng: random.Random) -> None:
    """A refusal has a code and words and changes nothing; nonsense is refused BAD; nothing else is ever raised."""
    game, s = moment.game, moment.state
    before = canon.encode(game.position(s))
    for seat in map(Seat, range(moment.seats)):
        for raw in [*commands(moment, seat, rng, 5), *({"type": tag} for tag in tags(game))]:
            said = answer(moment, seat, raw)
            if not isinstance(said, Step):
                code, words = said
                assert code == code.upper()
                assert words.endswith((".", "?", "!"))
    assert canon.encode(game.position(s)) == before
    seat = Seat(rng.randrange(moment.seats))
    nonsense: list[Any] = [{}, {"type": None}, {"type": "nonsense"}, {"type": ["x"]}, {"card": "AS1"}]
    nonsense += [msgspec.to_builtins(move) | {"nonsense": 1} for move in game.legal(s, seat)]
    for raw in nonsense:
        assert answer(moment, seat, raw)[0] == "BAD", f"{raw} is taken for a move"


def tags(game: AnyGame) -> list[str]:
    """The types of move there are."""
    return [str(move.__struct_config__.tag) for move in get_args(game.Move) or (game.Move,)]


@each_moment
def check_codecs(moment: Moment, _: random.Random) -> None:
    """Positions, options, moves, views, hints and lines survive being written and read."""
    game, s = moment.game, moment.state
    position = game.position(s)
    raw = canon.encode(position)
    assert type(position) is game.Position
    again = msgspec.convert(canon.decode(raw), game.Position)
    assert again == position
    placed = game.place(moment.options, again)
    assert canon.encode(game.position(placed)) == raw
    assert placed == s, "a position does not hold the whole state"
    assert msgspec.convert(canon.decode(canon.encode(moment.options)), game.Options) == moment.options
    for seat in (None, *map(Seat, range(moment.seats))):
        view = game.view(s, seat)
        assert msgspec.json.decode(msgspec.json.encode(view), type=game.View) == view
        if seat is not None:
            helps = game.helps(s, seat)
            assert msgspec.json.decode(msgspec.json.encode(helps), type=game.Helps) == helps
            for move in game.legal(s, seat):
                assert game.parse(canon.decode(canon.encode(move))) == move
    for line in moment.step.lines:
        canon.check(msgspec.to_builtins(line))
        assert game.words(line, lambda i: f"seat {i}").strip()


@each_moment
def check_views(moment: Moment, _: random.Random) -> None:
    """A view says all that is public, and to a seat its own hand."""
    game, s = moment.game, moment.state
    position = game.position(s)
    facts = {field.name: field.type for field in msgspec.structs.fields(game.Position)}
    shown = {field.name: field.type for field in msgspec.structs.fields(game.View)}
    missing = ((COMMON & set(facts)) | PUBLIC.get(game.name, frozenset())) - set(shown)
    assert not missing, f"views do not say {missing}"
    same = [name for name, hint in facts.items() if shown.get(name) == hint and name not in ("hands", "stock")]
    for seat in (None, *map(Seat, range(moment.seats))):
        view = game.view(s, seat)
        for name in same:
            assert getattr(view, name) == getattr(position, name), f"the view of {seat} is wrong about {name}"
        assert view.seat == seat
        assert view.hand == (None if seat is None else position.hands[seat])
        assert view.counts == tuple(map(len, position.hands))
        assert view.stock == len(position.stock)
        if game.name in OPEN_HANDS and moment.phase in ("scored", "over"):
            assert list(map(sorted, view.revealed)) == list(map(sorted, position.hands))


@each_moment
def check_reprs(moment: Moment, rng: random.Random) -> None:
    """What holds secrets shows no card when it is printed."""
    game, s = moment.game, moment.state
    seat = Seat(rng.randrange(moment.seats))
    for thing in (s, game.position(s), game.view(s, seat), game.helps(s, seat), Chance(moment.key, moment.spent)):
        assert not CARD.search(repr(thing)), f"{type(thing).__name__} shows cards"
        assert not CARD.search(f"{thing}")


@each_moment
def check_helps(moment: Moment, rng: random.Random) -> None:
    """A move that a hint suggests is accepted; hints never raise."""
    game, s = moment.game, moment.state
    for seat in map(Seat, range(moment.seats)):
        suggestion = getattr(game.helps(s, seat), "suggest", None)
        if suggestion is not None:
            before, after = game.view(s, seat), game.view(moment.try_move(seat, suggestion.move).state, seat)
            if hasattr(suggestion, "points") and hasattr(after, "melded"):
                assert after.melded[seat] - before.melded[seat] == suggestion.points


@each_moment
def check_offers(moment: Moment, rng: random.Random) -> None:
    """What is offered for some cards is accepted as it is; what cannot be done says why; a question has an answer."""
    game, s = moment.game, moment.state
    seat = Seat(rng.randrange(moment.seats))
    hand = getattr(game.view(s, seat), "hand", None) or ()
    fallback = list(named(msgspec.to_builtins(game.fallback(s, seat)))) if seat in moment.asked() else []
    for picked in ((), fallback, rng.sample(hand, min(len(hand), rng.randrange(1, 5)))):
        offers = game.offers(s, seat, picked)
        for offer in offers:
            assert offer.words
            assert (offer.move is None) == bool(offer.why), offer.words
            if offer.move is not None:
                moment.try_move(seat, offer.move)
                assert msgspec.to_builtins(offer.move)["type"] == offer.kind
        if seat in moment.asked() and picked == (fallback or ()):
            assert any(offer.move is not None for offer in offers)
    game.offers(s, seat, ["QQ9", "*99", "", "QH1"])


def check_ends(game: AnyGame, seats: int, options: Any, seed: int, bound: int = 200_000) -> None:
    """A random game ends, and so does one of fallback moves and time alone."""
    *_, last = walk(game, seats, options, seed, bound)
    assert game.outcome(last.state) is not None, f"a random game goes on after {bound} moves"
    key = bits("fallback", seed)
    source, now = Chance(key), Ms(0)
    state = game.start(options, seats, now, source).state
    for _ in range(bound):
        if game.outcome(state) is not None:
            return
        source = Chance(key, source.spent)
        asked = next((d for d in game.deciding(state) if d.waits), None)
        if asked is not None:
            state = game.play(state, asked.seat, game.fallback(state, asked.seat), now, source).state
        else:
            due = game.due(state)
            assert due is not None, "nobody is asked and no clock runs"
            now = max(now, due.at)
            state = game.tick(state, now, source).state
    raise AssertionError(f"a table of fallback moves goes on after {bound} of them")


def check_rebuild(game: AnyGame, seats: int, options: Any, seed: int) -> None:
    """The stored bytes alone rebuild the table, digest by digest, whatever happened at it; changed ones do not."""
    rng = random.Random(seed)
    house = House(game, seats, options, seed=bits("rebuild", seed))
    people = range(0, seats, 2)
    house.start(people, rng.sample(people, rng.randrange(len(people) + 1)))
    wander(house, rng, 400)
    assert not CARD.search(repr(house.table))
    steps = replay(game, raw_events(house), house.seed)
    for here, there in zip(house.steps, steps, strict=True):
        assert (here.leaf, here.blind, here.raw, here.lines) == (there.leaf, there.blind, there.raw, there.lines)
        assert here.table == there.table
    at, step = rng.choice([(i, step) for i, step in enumerate(steps) if isinstance(step.event, Moved)])
    changed = msgspec.structs.replace(step.event, state=bits("changed").hex())
    raws = [*raw_events(house)[:at], canon.encode(changed)]
    try:
        replay(game, raws, house.seed)
    except Diverged:
        return
    raise AssertionError("a wrong digest of the state was taken")


CHECKS = (
    check_cards, check_decisions, check_fallback, check_legal, check_refusals, check_codecs, check_views,
    check_reprs, check_helps, check_offers, check_ends, check_rebuild, check_secrets,
)  # fmt: skip
