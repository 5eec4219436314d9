"""Nobody can learn what is secret: another world that a viewer cannot tell from this one looks the same in everything.

Worlds come from the game's own `redeal`. What is compared is all that a viewer receives or can ask for.
"""

import random
from typing import Any

import msgspec

from domain.cards import Ms, Seat
from domain.chance import Chance
from domain.game import Step, reaches
from tests.house import bits
from tests.walk import CARD, AnyGame, Moment, answer, commands, moments

Viewer = Seat | None


def viewers(seats: int) -> list[Viewer]:
    return [None, *map(Seat, range(seats))]


def decisions(game: AnyGame, s: Any, viewer: Viewer) -> list[Any]:
    """The questions that a viewer is told of, without their keys."""
    asked = game.deciding(s)
    return [(d.seat, d.kind, d.waits) for d in asked if d.named or d.seat == viewer]


def keys(game: AnyGame, s: Any, viewer: Viewer) -> list[str]:
    """The keys that a viewer is told: its own."""
    return [d.key for d in game.deciding(s) if d.seat == viewer]


def sight(game: AnyGame, s: Any, viewer: Viewer) -> bytes:
    """What a viewer is shown."""
    shown = [game.view(s, viewer), decisions(game, s, viewer), game.outcome(s), game.open_due(s)]
    return msgspec.json.encode(shown)


def asked_for(game: AnyGame, s: Any, viewer: Viewer) -> bytes:
    """What a seat can ask for besides: its moves and hints, how its hand is best laid, what its cards can do."""
    if viewer is None:
        return b""
    hand = getattr(game.view(s, viewer), "hand", None) or ()
    offers = [game.offers(s, viewer, hand[:count]) for count in (0, 1, 3)]
    way = None if game.Arranged is None else game.arrange(s, viewer)
    return msgspec.json.encode([list(game.legal(s, viewer)), game.helps(s, viewer), way, offers])


def delivered(game: AnyGame, step: Step, viewer: Viewer) -> bytes:
    return msgspec.json.encode([line for line in step.lines if reaches(line, game, viewer)])


def noticed(step: Step, viewer: Viewer) -> bool:
    return step.notice is None or viewer in step.notice


def redealt(moment: Moment, viewer: Viewer, rng: random.Random) -> Any:
    """Another world for this viewer, which has the same pack in places of the same sizes."""
    game, s = moment.game, moment.state
    other = game.redeal(s, viewer, Chance(bits("redeal", rng.random())))
    here, there = game.zones(s), game.zones(other)
    assert {zone: len(cards) for zone, cards in here.items()} == {zone: len(cards) for zone, cards in there.items()}
    assert sorted(c for cards in here.values() for c in cards) == sorted(c for cards in there.values() for c in cards)
    return other


def check_secrets(game: AnyGame, seats: int, options: Any, seed: int) -> None:
    """All of it, for every viewer at some moments of a random game."""
    rng = random.Random(seed)
    stuck: dict[tuple[Viewer, str], int] = {}
    for moment in moments(game, seats, options, seed, each=6, share=0.02):
        for viewer in viewers(seats):
            other = redealt(moment, viewer, rng)
            _count_stuck(stuck, moment, viewer, other)
            assert sight(game, moment.state, viewer) == sight(game, other, viewer), f"{viewer} sees a secret"
            assert asked_for(game, moment.state, viewer) == asked_for(game, other, viewer), f"{viewer} is told a secret"
            assert keys(game, moment.state, viewer) == keys(game, other, viewer), f"a key tells {viewer} a secret"
            _check_answers(moment, viewer, other, rng)
            _check_named_cards(moment, viewer, other)
            _check_told(moment, viewer, other, rng)
            _check_ticks(moment, viewer, other)
    still = sorted(zone for (_, zone), times in stuck.items() if times > 5)
    assert not still, f"redeal never moves the hidden cards of {still}"


def _count_stuck(stuck: dict[tuple[Viewer, str], int], moment: Moment, viewer: Viewer, other: Any) -> None:
    """Count how often the cards of a place that the viewer is not shown were all left where they are.

    A place that was once dealt anew is never counted again.
    """
    shown = set(CARD.findall(msgspec.json.encode(moment.game.view(moment.state, viewer)).decode()))
    there = moment.game.zones(other)
    for zone, cards in moment.game.zones(moment.state).items():
        if not shown.issuperset(cards):
            now = -10**6 if there[zone] != cards else 1
            stuck[viewer, zone] = stuck.get((viewer, zone), 0) + now


def _check_answers(moment: Moment, viewer: Viewer, other: Any, rng: random.Random) -> None:
    """The same command is refused in the same words in both worlds, or in neither."""
    if viewer is None:
        return
    for raw in commands(moment, viewer, rng, 12):
        here, there = answer(moment, viewer, raw), answer(moment, viewer, raw, other)
        if not (isinstance(here, Step) and isinstance(there, Step)):
            assert here == there, f"the answer to {raw} tells seat {viewer} a secret"


def _check_named_cards(moment: Moment, viewer: Viewer, other: Any) -> None:
    """A card that a line names to a viewer lies where that viewer knows it to lie: in every world."""
    if moment.dealt:
        return
    here, there = _places(moment.game, moment.state), _places(moment.game, other)
    for card in CARD.findall(delivered(moment.game, moment.step, viewer).decode()):
        assert here[card] == there[card], f"a line tells {viewer} of a card it cannot know"


def _places(game: AnyGame, s: Any) -> dict[str, str]:
    return {card: zone for zone, cards in game.zones(s).items() for card in cards}


def _check_told(moment: Moment, viewer: Viewer, other: Any, rng: random.Random) -> None:
    """Steps after which a viewer is shown the same have told it the same, whatever was done in whichever world.

    Where another's act leaves it shown what it was shown before, it has been told nothing.
    """
    game = moment.game
    seats = sorted(set(moment.asked()))
    for seat in rng.sample(seats, min(2, len(seats))):
        told: dict[bytes, tuple[bytes, bool, bool, list[str]]] = {}
        if seat != viewer:
            told[sight(game, moment.state, viewer)] = (b"[]", False, False, keys(game, moment.state, viewer))
        for state in (moment.state, other):
            moves = list(game.legal(state, seat))
            for move in rng.sample(moves, min(4, len(moves))):
                step = moment.try_move(seat, move, state)
                now = (delivered(game, step, viewer), noticed(step, viewer), step.hand_ended,
                       keys(game, step.state, viewer))  # fmt: skip
                before = told.setdefault(sight(game, step.state, viewer), now)
                assert before == now, f"{type(move).__name__} of seat {seat} tells {viewer} a secret"


def _check_ticks(moment: Moment, viewer: Viewer, other: Any) -> None:
    """What time does to a viewer that is shown the same after it as before, it does in secret."""
    game = moment.game
    for state in (moment.state, other):
        due = game.due(state)
        if due is None or game.outcome(state) is not None:
            continue
        step = game.tick(state, Ms(max(moment.now, due.at)), Chance(moment.key, moment.spent))
        if sight(game, step.state, viewer) == sight(game, state, viewer):
            told = (delivered(game, step, viewer), noticed(step, viewer), step.hand_ended)
            assert told == (b"[]", False, False), f"time tells {viewer} a secret"
            assert keys(game, step.state, viewer) == keys(game, state, viewer), f"time tells {viewer} by a key"
