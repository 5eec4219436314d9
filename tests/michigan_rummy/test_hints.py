"""RULES.md, "Hints": picks, suggestions and fits, each proven by making the move."""

import random
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.cards import Card, Seat, pack
from domain.game import Illegal
from domain.melds import Meld
from domain.michigan_rummy.best import best
from domain.michigan_rummy.lay import apply, used
from domain.michigan_rummy.legal import legal
from domain.michigan_rummy.options import Options
from domain.michigan_rummy.plan import diggable, picks, way
from domain.michigan_rummy.state import Discard, Helps, Lay, Move, Play, State, Take
from tests.michigan_rummy.tables import GAME, NOW, OUT, cards, chance, play, table, take


def hints(s: State, seat: int | None = None) -> Helps:
    found: Helps = GAME.helps(s, s.turn if seat is None else Seat(seat))
    return found


class TestPicks:
    def test_every_card_of_the_pile_is_marked(self) -> None:
        s = table(
            "8H1 KD1 KC1 3D1", "2S1", pile="4S1 9H1 KS1 2C1", melds=[(1, "5H1 6H1 7H1")], phase="draw"
        )
        found = hints(s).picks
        assert [(p.at, p.card, p.takeable) for p in found] == [
            (0, "4S1", False), (1, "9H1", True), (2, "KS1", True), (3, "2C1", True),
        ]  # fmt: skip
        assert found[0].words == "You could not meld this card now."
        assert found[1].words == "Goes on the run 5♥ 6♥ 7♥ of seat 1 after 8♥."
        assert found[2].words == "Makes a new meld with K♦ K♣."
        assert found[3].words == "The top card is free to take."
        assert found[3].way is None

    def test_the_way_says_what_to_send(self) -> None:
        s = table("8H1 3D1", "2S1", pile="9H1 2C1", melds=[(1, "5H1 6H1 7H1")], phase="draw")
        found = hints(s).picks[0].way
        assert found is not None
        assert (found.how, found.uses, found.owner) == ("after", cards("8H1"), 1)
        assert found.move == Lay(plays=(Play(Card("8H1"), 0, "high"), Play(Card("9H1"), 0, "high")))

    def test_a_card_that_goes_straight_onto_a_meld_uses_none(self) -> None:
        found = way(Card("8H1"), cards("8S1 8D1"), table("KS1", "2S1", melds=[(1, "5H1 6H1 7H1")]).melds)
        assert found is not None
        assert (found.how, found.uses) == ("onto", ())

    def test_spare_keeps_a_card(self) -> None:
        assert way(Card("8H1"), cards("8S1 8D1"), (), spare=True) is None
        assert way(Card("8H1"), cards("8S1 8D1 KS1"), (), spare=True) is not None
        on = table("KS1", "2S1", melds=[(1, "5H1 6H1 7H1")]).melds
        assert way(Card("8H1"), (), on, spare=True) is None
        assert way(Card("8H1"), (), on) is not None

    def test_no_hints_for_the_others_nor_after_the_hand(self) -> None:
        s = table("8H1", "2S1", pile="9H1 2C1", phase="draw")
        assert hints(s, 1) == Helps()
        done = play(table("8H1", "2S1"), {"type": "discard", "card": "8H1"})
        assert hints(done, 0) == hints(done, 1) == Helps()


class TestFits:
    def test_cards_that_go_on_the_table(self) -> None:
        melds = [(1, "2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"), (0, "AS1 AD1 AC1")]
        fits = hints(table("AH1 9S1 *1", "2C1", melds=melds)).fits
        assert {fit.card: [(p.meld, p.end, p.points) for p in fit.places] for fit in fits} == {
            "AH1": [(0, "low", 1), (0, "high", 15), (1, None, 15)],
            "*1": [(0, "low", 15), (0, "high", 15), (1, None, 15)],
        }


class TestSuggestions:
    def suggested(self, *hands: str, **fields: object) -> tuple[int, list[Card]]:
        found = hints(table(*hands, **fields)).suggest  # type: ignore[arg-type]
        assert found is not None
        return found.points, sorted(used(found.move))

    def test_nothing_to_meld(self) -> None:
        assert hints(table("KS1 2H1 9D1", "2C1")).suggest is None

    def test_the_richest(self) -> None:
        """The eight goes with the eights, not with the run that lasts without it."""
        hand = "5H1 6H1 7H1 8H1 8S1 8D1 KS1"
        assert self.suggested(hand, "2C1") == (30, sorted(cards("5H1 6H1 7H1 8H1 8S1 8D1")))

    def test_an_ace_goes_where_it_is_worth_most(self) -> None:
        run = "2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1"
        assert self.suggested(f"AH1 {run}", "2C1")[0] == 95

    def test_what_must_be_melded_is(self) -> None:
        points, of = self.suggested("5H1 6H1 7H1 7S1 7D1 KS1 QS1 JS1", "2C1", must="7D1")
        assert "7D1" in of
        assert points == 15 + 30

    def test_what_must_be_melded_even_if_less_rich(self) -> None:
        hand = "KH1 KS1 KD1 3D1 QD1 JD1"
        free, _ = self.suggested(hand + " 4D1 5D1", "2C1")
        assert free == 45
        points, of = self.suggested("KD1 QD1 JD1 KH1 KS1 QS1 QC1", "2C1", must="JD1")
        assert (points, "JD1" in of) == (30, True)

    def test_with_no_mixes_to_look_at_what_must_be_melded_still_is(self) -> None:
        found = best(cards("5H1 6H1 7H1 KS1"), (), 0, Seat(0), must=Card("7H1"), budget=0)
        assert found is not None
        assert (found.points, sorted(used(found.move))) == (15, sorted(cards("5H1 6H1 7H1")))

    def test_spare_jokers_lie_high(self) -> None:
        found = hints(table("5H1 6H1 *1 KS1", "2C1")).suggest
        assert found is not None
        after = play(table("5H1 6H1 *1 KS1", "2C1"), {"type": "meld", "melds": [{"cards": ["5H1", "6H1", "*1"]}]})
        assert apply((), 0, Seat(0), found.move).melds[0].cards == after.melds[0].cards == cards("5H1 6H1 *1")

    def test_jokers_bridge_to_the_table(self) -> None:
        assert self.suggested("9H1 *1 KS1", "2C1", melds=[(1, "5H1 6H1 7H1")]) == (20, sorted(cards("9H1 *1")))

    def test_jokers_may_be_kept_off_the_table(self) -> None:
        melds = table("KS1", "2C1", melds=[(1, "5H1 6H1 7H1")]).melds
        on, off = (best(cards("9H1 *1"), melds, 1, Seat(0), jokers_on_table=yes) for yes in (True, False))
        assert on is not None
        assert (on.points, off) == (20, None)
        new = best(cards("9H1 9S1 *1 *2 KS1"), melds, 1, Seat(0), jokers_on_table=False)
        assert new is not None
        assert new.points == 40
        assert all(isinstance(p.meld, str) for p in new.move.plays)

    def test_jokers_need_room_too(self) -> None:
        """Ace and one joker fill the run of twelve; the other joker would be left over."""
        run = [(1, "2H1 3H2 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1")]
        assert self.suggested("AH1 3H1 *1 *2 2S1", "2C1", melds=run)[0] == 1 + 5 + 15 + 15

    def test_the_joker_that_must_be_melded_is_the_one_that_goes(self) -> None:
        run = [(1, "2H1 3H1 4H1 5H1 6H1 7H1 8H1 9H1 TH1 JH1 QH1 KH1")]
        points, of = self.suggested("*1 *2 2S1 AH2", "2C1", melds=run, must="*2")
        assert (points, "*2" in of) == (30, True)

    def test_a_joker_for_a_card_that_another_run_needs(self) -> None:
        points, _ = self.suggested("AH1 2H1 AH2 3H1 3H2 *1", "2C1", must="2H1")
        assert points == (1 + 5 + 5) + (1 + 15 + 5)

    def test_going_out_with_a_discard_the_cheapest_card_is_kept(self) -> None:
        hand = "5H1 6H1 7H1 8H1 KS1 KD1 KC1"
        assert self.suggested(hand, "2C1")[0] == 50
        assert self.suggested(hand, "2C1", options=OUT)[0] == 45
        assert self.suggested("AH1 2H1 3H1 4H1", "2C1", options=OUT) == (15, sorted(cards("2H1 3H1 4H1")))

    def test_going_out_with_a_discard_three_cards_make_nothing(self) -> None:
        assert hints(table("5H1 6H1 7H1", "2C1", options=OUT)).suggest is None


# What is claimed is what happens


def proven(s: State) -> tuple[int, int]:
    """Check every hint at a table by making its move; how many suggestions and picks there were."""
    seat = s.turn
    found = hints(s)
    for pick in found.picks:
        try:
            after = GAME.play(s, seat, Take(pick.at), NOW, chance()).state
        except Illegal:
            assert not pick.takeable
            continue
        assert pick.takeable
        if pick.way is not None:
            assert GAME.play(after, seat, pick.way.move, NOW, chance()).state.must is None
    for fit in found.fits:
        for place in fit.places:
            after = apply(s.melds, s.next_id, seat, Lay(plays=(Play(fit.card, place.meld, place.end),)))
            assert after.points == place.points
    if found.suggest is None:
        return 0, len(found.picks)
    after = GAME.play(s, seat, found.suggest.move, NOW, chance()).state
    assert after.melded[seat] - s.melded[seat] == found.suggest.points
    return 1, len(found.picks)


def game(name: str, seats: int, options: Options, habit: str) -> Iterator[State]:
    """Tables of one game in which everyone has a habit: at random, as suggested, or digging and keeping."""
    source = random.Random(name)
    luck = chance(name)
    s: State = GAME.start(options, seats, NOW, luck).state
    while GAME.outcome(s) is None:
        if s.phase != "scored":
            yield s
        seat = GAME.deciding(s)[0].seat
        s = GAME.play(s, seat, choose(s, seat, habit, source), NOW, luck).state


def choose(s: State, seat: Seat, habit: str, source: random.Random) -> Move:
    moves = legal(s, seat)
    if habit == "keeps" and source.random() < 0.8:
        digs = [m for m in moves if isinstance(m, Take)]
        discards = [m for m in moves if isinstance(m, Discard)]
        return digs[0] if digs else discards[-1] if discards else moves[0]
    if habit == "suggested" and s.phase == "play":
        suggest = hints(s).suggest
        if suggest is not None and source.random() < 0.7:
            return suggest.move
    return source.choice(moves)


def test_every_hint_holds() -> None:
    """2,400 suggestions and 13,600 picks at least, over two to eight seats, both ways of going out, three habits."""
    count = Counter[str]()
    for i in range(24):
        options = OUT if i % 2 else Options()
        for turn, s in enumerate(game(f"hints {i}", 2 + i % 7, options, ("keeps", "suggested", "random")[i % 3])):
            if turn == 500:
                break
            suggested, marked = proven(s)
            count["suggestions"] += suggested
            count["picks"] += marked
    assert count["suggestions"] >= 2_400
    assert count["picks"] >= 13_600


DENSE = [c for c in pack(2, 3) if c[0] in "*A2345KQ" and c[1] in "SH123"]
TABLES: list[tuple[Meld, ...]] = [
    table("KC1", "QC1", melds=melds).melds
    for melds in (
        [],
        [(1, "9S2 TS2 JS2")],
        [(1, "2H2 3H2 4H2"), (0, "KD1 KC2 KD2")],
        [(1, "2S2 3S2 *4"), (1, "AD1 AC1 AD2")],
        [(0, "2H2 3H2 4H2 5H2 6H1 7H1 8H1 9H1 TH1 JH1 QH2 KH2")],
    )
]
hands = st.lists(st.sampled_from(DENSE), min_size=1, max_size=6, unique=True)


def most(hand: frozenset[Card], melds: tuple[Meld, ...], keep: int, must: Card | None) -> int | None:
    """Most points of all moves that one part after another could make up; None if `must` cannot be melded."""
    seen: dict[tuple[frozenset[Card], tuple[Meld, ...], bool], int | None] = {}

    def rest(left: frozenset[Card], on: tuple[Meld, ...], owed: bool) -> int | None:
        key = (left, on, owed)
        if key not in seen:
            found = [] if owed else [0]
            for move in parts(left, on):
                of = set(used(move))
                if len(left) - len(of) >= keep:
                    laid = apply(on, len(on), Seat(0), move)
                    more = rest(left - of, laid.melds, owed and must not in of)
                    found += [] if more is None else [laid.points + more]
            seen[key] = max(found, default=None)
        return seen[key]

    return rest(hand, melds, must is not None)


def parts(hand: frozenset[Card], melds: tuple[Meld, ...]) -> list[Lay]:
    s = replace(table(" ".join(sorted(hand)), "9C2", stock=""), melds=melds, next_id=len(melds))
    return [m for m in legal(s, Seat(0)) if isinstance(m, Lay)]


@settings(deadline=None, max_examples=150)
@given(hands, st.sampled_from(TABLES), st.booleans())
def test_suggestions_are_as_rich_as_trying_everything(hand: list[Card], melds: tuple[Meld, ...], spare: bool) -> None:
    lying = {c for meld in melds for c in meld.cards}
    held = [c for c in hand if c not in lying]
    found = best(held, melds, len(melds), Seat(0), spare=spare)
    assert (found.points if found else 0) == (most(frozenset(held), melds, int(spare), None) or 0)
    for must in held[:2]:
        richest = most(frozenset(held), melds, int(spare), must)
        pool = [c for c in held if c != must]
        assert (way(must, pool, melds, spare=spare) is None) == (richest is None)
        found = best(held, melds, len(melds), Seat(0), must=must, spare=spare)
        assert (found.points if found else None) == richest
        assert found is None or must in used(found.move)


@settings(deadline=None)
@given(hands, st.lists(st.sampled_from(DENSE), max_size=6, unique=True), st.sampled_from(TABLES), st.booleans())
def test_one_search_behind_marks_and_ways(
    hand: list[Card], pile: list[Card], melds: tuple[Meld, ...], spare: bool
) -> None:
    lying = {*hand, *(c for meld in melds for c in meld.cards)}
    pile = [c for c in pile if c not in lying]
    can = diggable(hand, pile, melds, spare=spare)
    assert can == [pick.takeable for pick in picks(hand, pile, melds, spare=spare)]
    for at, card in enumerate(pile[:-1]):
        assert can[at] == (way(card, [*hand, *pile[at + 1 :]], melds, spare=spare) is not None)


@pytest.mark.parametrize("size", range(1, 54))
def test_every_size_of_hand(size: int) -> None:
    """All jokers in one hand, hands of any size: a suggestion that holds, whatever the budget left undone."""
    hand = pack(2, 4)[-4:] + random.Random(size).sample(pack(2, 0), size)
    melds = TABLES[0]
    found = best(hand, melds, 0, Seat(0), budget=50)
    assert (found is None) == all(way(card, [c for c in hand if c != card], melds) is None for card in hand)
    if found is not None:
        assert apply(melds, 0, Seat(0), found.move).points == found.points
        assert len(set(used(found.move))) == len(used(found.move))


def test_a_take_is_told_only_what_the_mark_said() -> None:
    s = table("6H1 6S1", "2H1", pile="6D1 JC1", phase="draw")
    assert [p.takeable for p in hints(s).picks] == [True, True]
    assert play(s, take(0)).must == "6D1"
