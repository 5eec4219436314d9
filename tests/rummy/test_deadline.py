"""RULES.md, "The deadline": one a turn, on the clock of the table, lost by nobody who could not move."""

import random

import msgspec
import pytest

from domain import canon, events
from domain.cards import Ms, Seat
from domain.game import Illegal
from domain.rummy.options import Options
from domain.standing import BACK_MS, BOT_GRACE_MS
from tests.house import House, raw_events, replay
from tests.rummy.tables import DEFAULTS, DUE, GAME, chance, discard, draw, lay_off, meld, play, step, table, take, view

MINUTE = Options(deadline=60)
WEEK = 604_800


class TestOptions:
    @pytest.mark.parametrize("seconds", [60, 61, 86_400, WEEK])
    def test_any_whole_number_of_seconds(self, seconds: int) -> None:
        assert msgspec.convert({"deadline": seconds}, Options).deadline == seconds

    @pytest.mark.parametrize("seconds", [59, 0, -60, WEEK + 1, True, "60", 60.5, None])
    def test_from_a_minute_to_a_week(self, seconds: object) -> None:
        with pytest.raises(msgspec.ValidationError, match="deadline"):
            msgspec.convert({"deadline": seconds}, Options)

    def test_a_day_unless_said_otherwise(self) -> None:
        assert msgspec.convert({}, Options).deadline == 86_400

    def test_bots_can_be_slowed(self) -> None:
        assert msgspec.convert({}, Options).bot_pace == "brisk"
        assert msgspec.convert({"bot_pace": "relaxed"}, Options).bot_pace == "relaxed"
        with pytest.raises(msgspec.ValidationError, match="bot_pace"):
            msgspec.convert({"bot_pace": "slow"}, Options)


class TestInTheRules:
    @pytest.mark.parametrize("seconds", [60, 300, WEEK])
    def test_it_runs_from_the_deal(self, seconds: int) -> None:
        s = GAME.start(Options(deadline=seconds), 2, Ms(5_000), chance()).state
        assert s.due == 5_000 + seconds * 1_000
        for seat in (0, 1, None):
            assert view(s, seat).due == s.due

    def test_it_is_one_for_the_whole_turn(self) -> None:
        s = table("5H 6H 7H 8S KS", "2C 9D", phase="draw", melds=[(1, "5S 6S 7S")])
        for move in (draw(), meld("5H 6H 7H"), lay_off(("8S", 0))):
            key = GAME.due(s)
            s = step(s, move, now=40_000).state
            assert (s.due, GAME.due(s)) == (DUE, key)
        s = step(s, discard("KS"), now=40_000).state
        assert s.due == 40_000 + 86_400_000
        due = GAME.due(s)
        assert due is not None
        assert due.seat == 1

    def test_every_turn_has_its_own_key(self) -> None:
        s = table("5H 6H", "2C 9D", phase="draw", stock="3D 4D 5D 6D 7D 8D")
        seen = set()
        for _ in range(6):
            due = GAME.due(s)
            assert due is not None
            seen.add(due.key)
            s = play(s, draw())
            s = play(s, discard(s.hands[s.turn][-1][:2]))
        assert len(seen) == 6

    def test_a_move_is_never_too_late(self) -> None:
        """Whether time is up is for the clock to say, not for the move."""
        s = step(table("5H 6H", "2C 9D", phase="draw"), take(), now=DUE + 10**9).state
        assert s.phase == "play"


def house(seats: int = 3, people: tuple[int, ...] = (0, 1, 2), options: Options = MINUTE) -> House:
    """A table after its first deal."""
    found = House(GAME, seats, options)
    found.start(people)
    return found


def turn(found: House) -> None:
    """The seat on turn draws and discards."""
    for _ in range(2):
        seat = found.state.turn
        found.move(seat, GAME.fallback(found.state, seat))


class TestAtATable:
    def test_a_missed_one_loses_a_millisecond_earlier_does_not(self) -> None:
        found = house()
        loser = found.state.turn
        assert found.refusal(events.Ticked, after=59_999) == "NOT_DUE"
        found.do(events.Ticked, after=60_000)
        outcome = found.table.outcome
        assert outcome is not None
        assert (outcome.how, outcome.places[loser], found.table.how) == ("deadline", 3, "deadline")
        found.reveal()
        assert replay(GAME, raw_events(found), found.seed)[-1].table == found.table

    def test_forged_early_and_doubled_ones_are_refused(self) -> None:
        found = house()
        assert found.refusal(events.Ticked) == "NOT_DUE"
        for raw in ({"type": "tick"}, {"type": "deadline"}, {"type": "ticked"}):
            assert found.refusal(events.Moved, **found.moved(found.state.turn, raw)) == "BAD"
        move = GAME.fallback(found.state, found.state.turn)
        forged = found.moved(found.state.turn, move, by="timer")
        assert found.refusal(events.Moved, after=70_000, **forged) == "NOT_COVERED"
        found.do(events.Ticked, after=60_000)
        assert found.refusal(events.Ticked, after=60_000) == "OVER"

    def test_a_stale_one_is_no_longer_due(self) -> None:
        found = house()
        stale = found.table.due()
        assert stale is not None
        found.at += 59_000
        turn(found)
        now = found.table.due()
        assert now is not None
        assert now.key != stale.key
        assert found.refusal(events.Ticked, after=2_000) == "NOT_DUE"

    def test_a_move_at_the_last_moment_or_after_it_counts_if_it_is_first(self) -> None:
        found = house()
        found.at += 60_000
        turn(found)
        assert found.refusal(events.Ticked) == "NOT_DUE"

    def test_an_outage_is_given_back_and_recorded(self) -> None:
        found = house()
        lost = found.at
        found.do(events.Granted, after=50_000, ms=45_000, since=lost)
        assert found.refusal(events.Ticked, after=54_999) == "NOT_DUE"
        assert found.refusal(events.Ticked, after=55_000) == ""
        due = found.table.due()
        assert due is not None
        assert due.at + found.table.granted == lost + 60_000 + 45_000

    def test_a_week(self) -> None:
        found = house(2, (0, 1), Options(deadline=WEEK))
        assert found.refusal(events.Ticked, after=WEEK * 1000 - 1) == "NOT_DUE"
        raws = raw_events(found)
        assert replay(GAME, raws, found.seed)[-1].table.due() == found.table.due()
        found.do(events.Ticked, after=WEEK * 1000)
        assert found.table.ended

    @pytest.mark.parametrize("resigned_first", [True, False])
    @pytest.mark.parametrize("off", [0, 1])
    def test_of_a_deadline_and_a_resignation_the_first_counts(self, resigned_first: bool, off: int) -> None:
        """The one on turn or another resigns in the very ms in which time is up: nobody loses twice."""
        found = house()
        slow = found.state.turn
        quitter = (slow + off) % 3
        resignation = found.moved(quitter, {"type": "resign"})
        found.at += 60_000
        if resigned_first:
            found.do(events.Moved, **resignation)
            assert found.refusal(events.Ticked) == "OVER"
        else:
            found.do(events.Ticked)
        assert found.refusal(events.Moved, **resignation) == "OVER"
        outcome = found.table.outcome
        assert outcome is not None
        loser, how = (quitter, "resigned") if resigned_first else (slow, "deadline")
        assert (outcome.places.index(3), outcome.how, outcome.places.count(1)) == (loser, how, 2)

    def test_resigning_out_of_turn_ends_the_table(self) -> None:
        found = house()
        seat = (found.state.turn + 1) % 3
        found.move(seat, {"type": "resign"})
        assert found.table.how == "resigned"
        found.reveal()
        assert canon.decode(found.steps[-2].raw)["move"] == {"type": "resign"}


class TestBots:
    def test_none_at_a_table_of_two(self) -> None:
        assert [GAME.bots_at(seats) for seats in GAME.seats] == [False, True, True]

    def test_time_runs_out_for_no_seat_that_a_bot_plays(self) -> None:
        found = house(people=())
        for _ in range(4):
            due = found.table.due()
            assert due is not None
            assert due.key.startswith("bot:")
            seat = found.state.turn
            assert found.refusal(events.Ticked, after=10**9) == "NOT_DUE"
            found.move(seat, GAME.fallback(found.state, seat), BOT_GRACE_MS, by="timer")
        assert not found.table.ended

    def test_nor_for_one_that_a_bot_has_just_taken_over(self) -> None:
        found = house()
        seat = found.state.turn
        found.at += 59_900
        found.do(events.Covered, seat=seat, level="easy")
        assert found.refusal(events.Ticked, after=1_000) == "NOT_DUE"
        due = found.table.due()
        assert due is not None
        assert due.at == found.table.now(found.at) + BOT_GRACE_MS

    def test_who_comes_back_has_a_minute_at_least(self) -> None:
        found = house()
        seat = found.state.turn
        found.do(events.Covered, after=50_000, seat=seat, level="easy")
        found.do(events.Returned, after=20_000, seat=seat)
        due = found.table.due()
        assert due is not None
        assert due.at == found.table.now(found.at) + BACK_MS
        assert found.refusal(events.Ticked, after=BACK_MS - 1) == "NOT_DUE"
        found.do(events.Ticked, after=BACK_MS)
        assert found.table.how == "deadline"

    def test_going_and_coming_again_gains_no_more(self) -> None:
        """Two who are in league cannot hold a third up for ever."""
        found = house()
        seat = found.state.turn
        found.do(events.Covered, after=59_000, seat=seat, level="easy")
        found.do(events.Returned, after=500, seat=seat)
        first = found.table.due()
        assert first is not None
        for _ in range(3):
            found.do(events.Covered, after=10_000, seat=seat, level="easy")
            found.do(events.Returned, after=500, seat=seat)
            assert found.table.due() == first
        assert found.refusal(events.Ticked, after=BACK_MS - 3 * 10_500 - 1) == "NOT_DUE"
        found.do(events.Ticked, after=BACK_MS - 3 * 10_500)
        assert found.table.how == "deadline"
        found.reveal()
        assert replay(GAME, raw_events(found), found.seed)[-1].table == found.table

    def test_the_next_turn_has_its_own_minute(self) -> None:
        found = house()
        seat = found.state.turn
        for _ in range(2):
            while found.state.turn != seat:
                turn(found)
            found.do(events.Covered, after=50_000, seat=seat, level="easy")
            found.do(events.Returned, after=20_000, seat=seat)
            due = found.table.due()
            assert due is not None
            assert due.at == found.table.now(found.at) + BACK_MS
            turn(found)

    def test_who_is_back_before_their_turn_has_the_whole_of_it(self) -> None:
        found = house()
        seat = (found.state.turn + 1) % 3
        found.do(events.Covered, seat=seat, level="easy")
        found.do(events.Returned, after=10, seat=seat)
        turn(found)
        assert found.state.turn == seat
        due = found.table.due()
        assert due is not None
        assert due.at == found.table.now(found.at) + 60_000

    def test_leaving_alone_gains_nothing(self) -> None:
        found = house()
        seat = found.state.turn
        found.do(events.Left, after=50_000, seat=seat)
        found.do(events.Returned, after=5_000, seat=seat)
        assert found.refusal(events.Ticked, after=5_000) == ""


def test_a_stale_or_early_tick_changes_nothing_whenever_it_comes() -> None:
    """At random points of a game the clock is tried at random times: it takes effect exactly from the due time on."""
    rng = random.Random(4)
    found = house(3, (0, 1, 2), DEFAULTS)
    for _ in range(60):
        if found.table.ended:
            break
        due = found.table.due()
        assert due is not None
        late = rng.choice([-1, 0, 1, rng.randrange(-(10**7), 10**7)])
        after = max(0, due.at + late - found.table.now(found.at))
        early = found.table.now(found.at) + after < due.at
        assert found.refusal(events.Ticked, after=after) == ("NOT_DUE" if early else "")
        found.at += rng.randrange(80_000_000)
        turn(found)


def test_a_game_that_is_over_has_no_clock() -> None:
    s = GAME.forfeit(table("5D", "KH"), Seat(0), "resigned").state
    assert GAME.due(s) is None
    assert view(s, 0).due is None
    with pytest.raises(Illegal):
        GAME.tick(s, Ms(10**9), chance())
