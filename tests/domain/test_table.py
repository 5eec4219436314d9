"""The life of a table, from opened to revealed, on a toy game with a clock and secret answers."""

import re
from typing import Any

import pytest

from domain import canon, chance, events
from domain.chance import Vault
from domain.game import Due, Illegal
from domain.table import BOT_GRACE_MS, CUT_MS, Diverged, follow, open_table, owing
from tests.house import ID, House, bits, opened, raw_events, replay
from tests.toys import Cheer, Options, Pick, Ready, Whispers

GAME = Whispers()


def house(seats: int = 2, options: Options | None = None) -> House:
    return House(GAME, seats, options)


def playing(people: tuple[int, ...] = (0,), seats: int = 2, cuts: tuple[int, ...] = ()) -> House:
    table = house(seats)
    table.start(people, cuts)
    return table


def first(table: House, seat: int) -> Pick:
    return Pick(table.state.hands[seat][0])


def close_round(table: House) -> None:
    due = GAME.due(table.state)
    assert due
    table.do(events.Ticked, after=due.at - table.table.now(table.at))


def to_scored(table: House) -> None:
    while table.state.phase == "pick":
        close_round(table)


def to_over(table: House) -> None:
    while table.table.phase == "playing":
        to_scored(table)
        for owed in table.table.owed:
            table.move(owed.decision.seat, Ready())


# Opening


def test_an_opened_table_waits_with_empty_seats() -> None:
    table = house(3).table
    assert (table.phase, table.version, table.chairs, table.seen) == ("open", 1, (None,) * 3, (1,) * 4)
    assert not table.ended


def test_a_table_that_never_starts_is_closed_after_a_day() -> None:
    table = house(3)
    day = 24 * 3_600_000
    assert table.table.due() == Due("idle", table.table.opened.at + day)
    assert table.refusal(events.Closed, how="idle", after=day - 1) == "NOT_DUE"
    assert table.refusal(events.Granted, ms=1000, since=table.at, after=day) == "NOT_DUE"
    table.do(events.Closed, how="idle", after=day)
    table.reveal()
    assert replay(GAME, raw_events(table), table.seed)[-1].table == table.table


def test_a_table_that_has_started_is_not_idle() -> None:
    assert playing().refusal(events.Closed, how="idle", after=30 * 24 * 3_600_000) == "NOT_DUE"


@pytest.mark.parametrize("options", [{"seconds": 11}, {"seconds": True}, {"unknown": 1}, {"seconds": 10.0}])
def test_bad_options_are_refused(options: dict[str, object]) -> None:
    seed = bits("seed")
    with pytest.raises(Illegal, match="OPTIONS"):
        open_table(opened(GAME, 2, seed=seed, options=options), GAME, Vault(seed))


@pytest.mark.parametrize("seats", [0, 1, 5, 63])
def test_seats_out_of_range_are_refused(seats: int) -> None:
    with pytest.raises(Illegal, match="OPTIONS"):
        house(seats)


def test_a_commitment_must_be_that_of_the_seed_and_the_table() -> None:
    seed = bits("seed")
    for commit in (bits("x").hex(), chance.commitment(seed, "anothertable0000").hex()):
        with pytest.raises(Diverged):
            open_table(opened(GAME, 2, seed=seed, commit=commit), GAME, Vault(seed))


@pytest.mark.parametrize("fields", [{"game": "rummy"}, {"rules": 2}])
def test_an_event_of_another_game_or_version_is_no_start(fields: dict[str, object]) -> None:
    seed = bits("seed")
    with pytest.raises(Diverged):
        open_table(opened(GAME, 2, seed=seed, **fields), GAME, Vault(seed))


# Seats


def test_who_may_sit_where() -> None:
    table = house()
    table.sit(0)
    sat = {"kind": "human", "cut": None}
    assert table.refusal(events.Sat, seat=0, who="p9", **sat) == "SEAT_TAKEN"
    assert table.refusal(events.Sat, seat=2, who="p9", **sat) == "NO_SUCH_SEAT"
    assert table.refusal(events.Sat, seat=1, who="person0", **sat) == "ONE_SEAT"
    assert table.refusal(events.Sat, seat=1, who="b", kind="bot", cut=None) == "BAD"
    assert table.refusal(events.Sat, seat=1, who="b", kind="bot", cut=table.promise(1), level="easy") == "BAD"
    assert table.refusal(events.Sat, seat=1, who="p9", level="easy", **sat) == "BAD"
    assert table.refusal(events.Sat, seat=1, who="p9", **sat) == ""


def test_standing_up_frees_the_seat_and_the_person() -> None:
    table = house()
    table.sit(0)
    assert table.refusal(events.Stood, seat=1) == "NO_SUCH_SEAT"
    assert table.refusal(events.Stood, seat=7) == "NO_SUCH_SEAT"
    table.do(events.Stood, seat=0)
    table.sit(1, who="person0")
    assert table.table.host == 1


def test_the_host_is_the_person_who_opened_while_seated() -> None:
    table = house()
    assert table.table.host is None
    table.sit(1, who="person0")
    assert table.table.host == 1


def test_whoever_opened_hosts_from_any_place_until_they_leave() -> None:
    table = house()
    assert table.table.hosted_by("person0")
    table.sit(0, who="person5")
    assert table.table.hosted_by("person0")
    assert not table.table.hosted_by("person5")
    assert not table.table.hosted_by(None)


def test_a_host_who_has_left_is_followed_by_the_lowest_seat_still_there() -> None:
    table = playing(people=(0, 2, 3), seats=4)
    hosts = [
        (events.Left, 2, 0), (events.Left, 0, 3), (events.Returned, 2, 2), (events.Returned, 0, 0),
        (events.Left, 0, 2), (events.Left, 2, 3), (events.Left, 3, 0), (events.Returned, 3, 3),
    ]  # fmt: skip
    for event, seat, host in hosts:
        table.do(event, seat=seat)
        assert table.table.host == host
        assert [who for who in range(4) if table.table.hosted_by(f"person{who}")] == [host]
    table.do(events.Covered, seat=3, level="easy")  # a seat that a bot plays for its person is not left
    assert table.table.host == 3
    assert replay(GAME, raw_events(table), table.seed)[-1].table == table.table


def test_the_start_lists_the_seats_as_they_are() -> None:
    table = house()
    table.sit(0)
    assert table.refusal(events.Started, kinds=("human",), cuts=(None,)) == "SEATS_EMPTY"
    table.sit(1, "bot")
    good = table.started()
    dropped = good | {"cuts": (None, None)}  # the house drops a promise
    assert table.refusal(events.Started, **dropped) == "BAD"
    assert table.refusal(events.Started, **(good | {"kinds": ("human", "human")})) == "BAD"
    assert table.refusal(events.Started, **good) == ""
    table.close_seats()
    assert table.refusal(events.Started, **good) == "PHASE"
    assert table.refusal(events.Stood, seat=0) == "PHASE"
    assert table.refusal(events.Sat, seat=0, who="p", kind="human", cut=None) == "PHASE"


# Cuts


def test_without_promises_the_first_hand_is_dealt_at_the_start() -> None:
    table = house()
    table.sit(0, cut=False)
    table.sit(1, "bot")
    step = table.close_seats()
    assert table.table.phase == "playing"
    assert [line.kind for line in step.lines] == ["dealt"]
    assert table.table.d_s == table.table.digest
    assert table.refusal(events.Cut, seat=0, cut=table.cut(0).hex()) == "PHASE"


def test_the_last_promised_cut_deals() -> None:
    table = house(3)
    table.sit(0)
    table.sit(1, "bot")
    table.sit(2)
    d_s = table.close_seats().table.digest
    assert (table.table.phase, table.table.state, owing(table.table)) == ("cutting", None, (0, 2))
    table.do(events.Cut, seat=2, cut=table.cut(2).hex())
    assert (table.table.phase, owing(table.table)) == ("cutting", (0,))
    table.do(events.Cut, seat=0, cut=table.cut(0).hex())
    assert (table.table.phase, owing(table.table), table.table.d_s) == ("playing", (), d_s)
    key = chance.table_key(table.seed, d_s, [(0, table.cut(0)), (2, table.cut(2))])
    fresh = GAME.start(Options(), 3, table.table.now(table.at), chance.Chance(key)).state
    assert table.state == fresh


def test_cuts_that_are_not_owed_are_refused() -> None:
    table = house(3)
    table.sit(0)
    table.sit(1, "bot")
    table.sit(2)
    table.close_seats()
    assert table.refusal(events.Cut, seat=1, cut=table.cut(1).hex()) == "NO_PROMISE"
    assert table.refusal(events.Cut, seat=0, cut=table.cut(2).hex()) == "CUT_BROKEN"
    table.do(events.Cut, seat=0, cut=table.cut(0).hex())
    assert table.refusal(events.Cut, seat=0, cut=table.cut(0).hex()) == "CUT_TWICE"
    assert table.refusal(events.Cut, seat=3, cut=table.cut(0).hex()) == "NO_SUCH_SEAT"


def test_a_promise_copied_from_another_seat_cannot_be_opened() -> None:
    table = house()
    table.sit(0)
    table.sit(1, cut=True)
    table.do(events.Stood, seat=1)
    copied = table.promise(0)
    table.do(events.Sat, seat=1, who="person1", kind="human", cut=copied)
    table.close_seats()
    for seat in (0, 1):
        assert table.refusal(events.Cut, seat=1, cut=table.cut(seat).hex()) == "CUT_BROKEN"


def test_a_missing_cut_voids_the_table_after_its_time_and_not_before() -> None:
    table = house()
    table.sit(0)
    table.sit(1)
    table.close_seats()
    table.do(events.Cut, after=5_000, seat=1, cut=table.cut(1).hex())
    due = table.table.due()
    assert due
    assert due.at == table.steps[-2].table.at + CUT_MS
    left = due.at - table.at
    assert table.refusal(events.Voided, after=left - 1, seats=(0,)) == "NOT_DUE"
    assert table.refusal(events.Voided, after=left, seats=(0, 1)) == "BAD"
    table.do(events.Voided, after=left, seats=(0,))
    assert (table.table.phase, table.table.how, table.table.state) == ("voided", "voided", None)
    assert table.refusal(events.Cut, seat=0, cut=table.cut(0).hex()) == "OVER"
    table.reveal()
    assert replay(GAME, raw_events(table), table.seed)[-1].table == table.table


def test_a_pause_moves_the_time_to_cut() -> None:
    table = house()
    table.sit(0)
    table.sit(1)
    table.close_seats()
    table.do(events.Granted, after=60_000, ms=60_000, since=table.at)
    assert table.refusal(events.Voided, after=CUT_MS - 1, seats=(0, 1)) == "NOT_DUE"
    assert table.refusal(events.Voided, after=CUT_MS, seats=(0, 1)) == ""


def test_no_digest_of_the_state_is_taken_before_there_is_one() -> None:
    table = house()
    table.sit(0)
    table.sit(1)
    table.close_seats()
    event = events.Granted(at=table.at + 10, ms=10, since=table.at, state=bits("x").hex())
    with pytest.raises(Diverged):
        follow(table.table, event, table.vault)


# Moves


def test_a_move_is_played_by_whoever_has_the_seat() -> None:
    table = playing(people=(0,))
    assert table.refusal(events.Moved, **table.moved(0, first(table, 0), by="bot"))
    assert table.refusal(events.Moved, **table.moved(0, first(table, 0), by="timer"))
    assert table.refusal(events.Moved, **table.moved(1, first(table, 1), by="person")) == "COVERED"
    assert table.refusal(events.Moved, **table.moved(2, first(table, 1), by="person")) == "NO_SUCH_SEAT"
    table.move(0, first(table, 0), by="person")
    table.move(1, first(table, 1), by="bot")
    assert table.state.picks == (first(table, 0).card, first(table, 1).card)


def test_the_refusals_of_the_game_come_through() -> None:
    table = playing()
    assert table.refusal(events.Moved, **table.moved(0, first(table, 1))) == "NOT_YOURS"
    assert table.refusal(events.Moved, **table.moved(0, {"type": "pick", "card": 1})) == "BAD"
    assert table.refusal(events.Moved, **table.moved(0, {"type": "pick", "card": "AS1", "x": 1})) == "BAD"


class Tolerant(Whispers):
    """Overlooks a note that comes with a move."""

    def parse(self, raw: Any) -> Any:
        return super().parse({key: value for key, value in raw.items() if key != "note"})


@pytest.mark.parametrize("note", [1.5, 2**60, "x", 'a"', "\n", "é", {"A": 1}, [1e9], None])
def test_a_move_is_stored_in_its_plain_form_and_no_other(note: Any) -> None:
    """Whatever a game overlooks in a move would else be stored, and might be bytes that no reader takes."""
    table = House(Tolerant(), 2)
    table.start((0,))
    move = first(table, 0)
    fields = table.moved(0, {"type": "pick", "card": move.card, "note": note})
    try:
        step = follow(table.table, events.Moved(at=table.at, **fields), table.vault)
    except (Illegal, canon.NotCanonical):
        return
    plain = table.move(0, move)
    assert step.raw == plain.raw


def test_time_does_not_go_back() -> None:
    table = playing()
    table.move(0, first(table, 0), after=500)
    assert table.refusal(events.Moved, after=-1, **table.moved(0, Cheer())) == "TIME"
    assert table.refusal(events.Moved, after=0, **table.moved(0, Cheer())) == ""


def test_a_secret_move_moves_only_the_feed_of_its_seat() -> None:
    table = playing()
    before = table.table.seen
    table.move(0, first(table, 0))
    assert table.table.seen == (before[0] + 1, before[1], before[2])
    table.move(0, Cheer())
    assert table.table.seen == (before[0] + 2, before[1] + 1, before[2] + 1)
    assert [table.table.feed(v) for v in (0, 1, None)] == list(table.table.seen)


def test_a_question_keeps_the_time_since_which_it_is_asked() -> None:
    table = playing()
    asked = table.table.owed[1].since
    table.move(0, first(table, 0), after=700)
    assert table.table.owed[1].since == asked
    assert table.table.owed[0].since == asked + 700


def test_a_game_under_way_is_not_opened_again() -> None:
    table = playing()
    with pytest.raises((Illegal, Diverged)):
        follow(table.table, opened(GAME, 2, at=table.at), table.vault)


# Time


def test_a_tick_comes_when_due_and_not_before() -> None:
    table = playing()
    due = GAME.due(table.state)
    assert due
    left = due.at - table.at
    assert table.refusal(events.Ticked, after=left - 1) == "NOT_DUE"
    table.do(events.Ticked, after=left)
    assert table.state.round == 2
    assert table.refusal(events.Ticked) == "NOT_DUE"


def test_a_late_move_and_a_tick_count_in_the_order_in_which_they_come() -> None:
    late = 20_000
    move_first, tick_first = playing(), playing()
    card = first(move_first, 0).card
    move_first.move(0, Pick(move_first.state.hands[0][1]), after=late)
    move_first.do(events.Ticked)
    assert move_first.state.hands[0][0] == card
    tick_first.do(events.Ticked, after=late)
    assert tick_first.refusal(events.Moved, **tick_first.moved(0, Pick(card))) == "NOT_YOURS"


def test_a_granted_pause_moves_every_clock() -> None:
    table = playing()
    due = GAME.due(table.state)
    assert due
    left = due.at - table.at
    table.do(events.Granted, after=30_000, ms=29_000, since=table.at)
    assert table.table.granted == 29_000
    assert table.refusal(events.Ticked, after=left - 1_001) == "NOT_DUE"
    assert table.refusal(events.Ticked, after=left - 1_000) == ""


def test_no_more_time_is_given_back_than_has_passed() -> None:
    table = playing()
    since = table.at
    assert table.refusal(events.Granted, after=100, ms=101, since=since) == "BAD"
    assert table.refusal(events.Granted, after=100, ms=10, since=since - 1) == "BAD"
    assert table.refusal(events.Granted, after=100, ms=100, since=since) == ""
    assert house().refusal(events.Granted, after=100, ms=1, since=since) == "NOT_DUE"


def test_time_is_given_back_once_only() -> None:
    table = playing()
    since = table.at
    table.do(events.Granted, after=100, ms=100, since=since)
    assert table.refusal(events.Granted, after=0, ms=100, since=since) == "BAD"


def test_a_silent_bot_gets_its_fallback_after_its_grace() -> None:
    table = playing(people=(0,))
    move = GAME.fallback(table.state, 1)
    given = table.moved(1, move, by="timer")
    table.at += BOT_GRACE_MS - 1
    assert table.refusal(events.Moved, **given) == "NOT_DUE"
    table.at += 1
    other = next(m for m in GAME.legal(table.state, 1) if m != move)
    assert table.refusal(events.Moved, **table.moved(1, other, by="timer")) == "BAD"
    assert table.refusal(events.Moved, **table.moved(0, GAME.fallback(table.state, 0), by="timer")) != ""
    table.do(events.Moved, **given)
    assert table.state.picks[1] == move.card
    again = table.moved(1, GAME.fallback(table.state, 1), by="timer")  # may act, but nobody waits for it
    assert table.refusal(events.Moved, after=10 * BOT_GRACE_MS, **again) == "NOT_DUE"


def test_the_next_due_time_is_the_earliest_of_game_and_bots() -> None:
    table = playing(people=(0,))
    due = table.table.due()
    assert due
    assert due.key.startswith("close:")
    to_scored(table)
    due = table.table.due()
    assert due
    assert due.key == f"bot:1:r{table.state.deals}"
    assert due.at == table.table.now(table.at) + BOT_GRACE_MS
    assert playing(people=(0, 1)).table.due() is not None


def test_nothing_is_due_where_only_people_are_waited_for() -> None:
    table = playing(people=(0, 1))
    to_scored(table)
    assert table.table.due() is None


# People who come and go


def test_leaving_covering_and_coming_back() -> None:
    table = playing(people=(0, 1))
    assert table.refusal(events.Returned, seat=1) == "NOT_AWAY"
    table.do(events.Left, seat=1)
    assert table.refusal(events.Left, seat=1) == "NOT_SEATED"
    table.do(events.Covered, seat=1, level="medium")
    assert table.refusal(events.Covered, seat=1, level="hard") == "COVERED"
    assert table.refusal(events.Moved, **table.moved(1, first(table, 1), by="person")) == "COVERED"
    table.move(1, first(table, 1), by="bot")
    table.do(events.Returned, seat=1)
    assert table.refusal(events.Moved, **table.moved(1, Cheer(), by="bot"))
    table.move(1, Cheer(), by="person")
    chair = table.table.chairs[1]
    assert chair
    assert (chair.left, chair.cover, chair.bot, chair.who) == (False, None, None, "person1")


def test_a_bot_does_not_leave_return_or_agree() -> None:
    table = playing(people=(0,))
    assert table.refusal(events.Left, seat=1) == "NOT_SEATED"
    assert table.refusal(events.Returned, seat=1) == "NOT_AWAY"
    assert table.refusal(events.Agreed, seat=1) == "NOT_SEATED"
    assert table.refusal(events.Covered, seat=1, level="easy") == "COVERED"


def test_a_covering_bot_gets_its_whole_grace() -> None:
    table = playing(people=(0, 1))
    to_scored(table)
    table.do(events.Covered, after=1_000_000, seat=1, level="easy")
    due = table.table.due()
    assert due
    assert due.at == table.table.now(table.at) + BOT_GRACE_MS
    assert table.refusal(events.Moved, after=BOT_GRACE_MS - 1, **table.moved(1, Ready(), by="timer")) == "NOT_DUE"
    assert table.refusal(events.Moved, after=BOT_GRACE_MS, **table.moved(1, Ready(), by="timer")) == ""


def test_a_ready_host_starts_without_waiting() -> None:
    table = playing(people=(0, 1), seats=3)
    assert table.refusal(events.Hurried, seat=0) == "NOT_HOST"
    to_scored(table)
    assert table.refusal(events.Hurried, seat=0) == "NOT_HOST"
    table.move(0, Ready())
    assert table.refusal(events.Hurried, seat=1) == "NOT_HOST"
    step = table.do(events.Hurried, seat=0)
    assert [line.kind for line in step.lines] == ["ready", "ready", "dealt"]
    assert (table.state.phase, table.state.deals) == ("pick", 2)


def test_whoever_hosts_now_starts_without_waiting() -> None:
    table = playing(people=(0, 1, 2), seats=3)
    to_scored(table)
    table.do(events.Left, seat=0)
    table.do(events.Covered, seat=0, level="easy")
    table.move(0, Ready())
    table.move(1, Ready())
    assert table.refusal(events.Hurried, seat=0) == "NOT_HOST"
    assert table.refusal(events.Hurried, seat=1) == ""
    table.do(events.Returned, seat=0)
    assert table.refusal(events.Hurried, seat=0) == ""
    assert table.refusal(events.Hurried, seat=1) == "NOT_HOST"


# The end


def test_a_finished_game_is_over_with_its_outcome() -> None:
    table = playing()
    to_over(table)
    assert table.table.outcome == GAME.outcome(table.state)
    assert (table.table.phase, table.table.how, table.table.owed, table.table.due()) == ("over", "played", (), None)
    assert table.refusal(events.Moved, **table.moved(0, Cheer())) == "OVER"
    assert table.refusal(events.Closed, how="host") == "OVER"


def test_hand_ended_is_told_with_the_move_that_ends_it() -> None:
    table = playing()
    to_scored(table)
    assert [step.hand_ended for step in table.steps[-3:]] == [False, False, True]


def test_the_seed_comes_last_once_and_only_after_the_end() -> None:
    table = playing()
    assert table.refusal(events.Revealed, seed=table.seed.hex()) == "PHASE"
    to_over(table)
    with pytest.raises(Diverged):
        follow(table.table, events.Revealed(at=table.at, seed=bits("other").hex()), table.vault)
    table.reveal()
    assert table.table.revealed
    assert table.refusal(events.Revealed, seed=table.seed.hex()) == "OVER"


@pytest.mark.parametrize("stage", ["open", "cutting", "playing"])
def test_a_table_may_be_closed_at_any_stage_and_then_reveals(stage: str) -> None:
    table = house()
    if stage != "open":
        table.sit(0)
        table.sit(1)
        table.close_seats()
    if stage == "playing":
        table.do(events.Cut, seat=0, cut=table.cut(0).hex())
        table.do(events.Cut, seat=1, cut=table.cut(1).hex())
    assert table.table.phase == stage
    table.do(events.Closed, how="host")
    assert (table.table.phase, table.table.how, table.table.due()) == ("closed", "host", None)
    table.reveal()
    assert replay(GAME, raw_events(table), table.seed)[-1].table == table.table


def test_a_game_is_closed_by_agreement_when_all_people_have_agreed() -> None:
    table = playing(people=(0, 2), seats=3)
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"
    table.do(events.Agreed, seat=0)
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"
    table.do(events.Agreed, seat=2)
    table.do(events.Closed, how="agreed")
    bots = playing(people=())
    assert bots.refusal(events.Closed, how="agreed") == "NOT_AGREED"


def test_whoever_has_left_need_not_agree() -> None:
    table = playing(people=(0, 1, 2), seats=3)
    table.do(events.Left, seat=0)
    table.do(events.Agreed, seat=1)
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"
    table.do(events.Covered, seat=2, level="easy")  # away, and has not left
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"
    table.do(events.Left, seat=2)
    assert table.refusal(events.Closed, how="agreed") == ""
    table.do(events.Returned, seat=0)
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"
    table.do(events.Agreed, seat=0)
    for seat in (0, 1):
        assert table.refusal(events.Closed, how="agreed") == ""
        table.do(events.Left, seat=seat)
    assert table.refusal(events.Closed, how="agreed") == "NOT_AGREED"  # nobody is there who could


def test_people_agree_while_the_game_is_played_only() -> None:
    table = house()
    table.sit(0)
    for event in (events.Agreed, events.Left, events.Returned):
        assert table.refusal(event, seat=0) == "PHASE"
    assert table.refusal(events.Covered, seat=0, level="easy") == "PHASE"
    assert table.refusal(events.Ticked) == "PHASE"
    assert table.refusal(events.Hurried, seat=0) == "PHASE"
    assert table.refusal(events.Moved, **table.moved(0, Cheer())) == "PHASE"
    assert table.refusal(events.Voided, seats=()) == "PHASE"


# What is stored


def test_only_events_after_the_last_cut_are_blinded_and_stated() -> None:
    table = playing(people=(0, 1), cuts=(0, 1))
    table.move(0, first(table, 0))
    table.do(events.Left, seat=1)
    table.do(events.Closed, how="host")
    table.reveal()
    for step in table.steps:
        n = step.table.version
        last_cut = 6  # opened, two seats, started, two cuts
        assert (step.blind == bytes(32)) == (n <= last_cut)
        assert step.leaf == chance.leaf(step.blind, step.raw)
        assert (b'"state":' in step.raw) == (step.event.__class__ in (events.Moved, events.Left))
    digest = chance.first_digest(ID)
    for step in table.steps:
        digest = chance.node(digest, step.leaf)
        assert step.table.digest == digest


def test_the_state_digest_is_that_of_the_position() -> None:
    table = playing(people=(0,), cuts=(0,))
    step = table.move(0, first(table, 0))
    assert table.table.d_s
    key = chance.table_key(table.seed, table.table.d_s, [(0, table.cut(0))])
    position = canon.encode(GAME.position(table.state))
    assert isinstance(step.event, events.Moved)
    assert step.event.state == chance.state_digest(key, step.table.version, position).hex()


def test_a_table_prints_nothing_secret() -> None:
    table = playing(cuts=(0,))
    table.move(0, first(table, 0))
    text = repr(table.table) + repr(table.vault) + str(table.table)
    assert not re.search(r"[A2-9TJQK][SHDC]1", text)
    assert table.seed.hex() not in text
    assert len(text) < 100
