"""What people may be called: nothing that looks empty, and nothing that looks like the house's own."""

import pytest

from projections.views import BOT_NAMES, NOBODY
from replay.settings import Settings
from tests.api.house import Refused, Served, seated, wait

BLANK = ("\u3164", "\u115f", "\u1160", "\uffa0", "\u034f", "\u17b4", "\u180b", "\ufe0f", "\U000e0100", "\U00013441")


@pytest.mark.parametrize("name", [" ", "\u200b", "\u2800", "\u0301", *BLANK, *(f"A{sign}da" for sign in BLANK)])
def test_a_name_that_cannot_be_seen_is_refused(house: Served, name: str) -> None:
    with pytest.raises(Refused) as no:
        house.watcher().guest(name)
    assert (no.value.status, no.value.code) == (400, "BAD_NAME")


@pytest.mark.parametrize("marks", ["\u0301" * 23, "\u0301\u20dd\u0332\u0489\u0300\u0301\u0302\u0303", "\ufe20" * 9,
                                   "\u0489" * 23, "\u0e49" * 4])  # fmt: skip
def test_a_name_piled_high_with_marks_is_refused(house: Served, marks: str) -> None:
    with pytest.raises(Refused) as no:
        house.watcher().guest(f"A{marks}")
    assert (no.value.status, no.value.code) == (400, "BAD_NAME")


ALIKE = ("Y\u043eu", "\u03a5\u03bf\u03c5", "Y0u", "\u0443ou", "H0us3", "Easy b\u043et 2")  # other alphabets, digits


@pytest.mark.parametrize(
    "name", ["You", "you", "YOU 2", "House", "The house", "the-house", "Faircut", "𝐘𝐨𝐮", "Ｙｏｕ", *ALIKE]
)
def test_as_the_page_calls_its_reader_and_itself_nobody_is_called(house: Served, name: str) -> None:
    with pytest.raises(Refused) as no:
        house.watcher().guest(name)
    assert (no.value.status, no.value.code) == (400, "BAD_NAME")


WIDE = str.maketrans({chr(sign): chr(sign + 0xFEE0) for sign in range(0x21, 0x7F)})


@pytest.mark.parametrize("name", [*BOT_NAMES.values(), NOBODY])
@pytest.mark.parametrize(
    "written", [str, str.upper, str.lower, str.swapcase, lambda name: name.translate(WIDE),
                lambda name: name.replace(" ", "  "), lambda name: name.replace(" ", "-") + "."]
)  # fmt: skip
def test_the_houses_own_names_are_nobodys(house: Served, name: str, written) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(Refused) as no:
        house.watcher().guest(written(name))
    assert (no.value.status, no.value.code) == (400, "BAD_NAME")


@pytest.mark.parametrize(
    "name", ["Ada", "Zoë O'Neil", "山田", "नमस्ते", "김", "Bottom", "Somebody else", "J. R. 2", "Youri", "Nguyễn", "Ḗȩ́",
             "Юрий", "Ольга", "น้ำผึ้ง", "שָׁלוֹם", "Bob 0"]
)  # fmt: skip
def test_other_names_are_taken(house: Served, name: str) -> None:
    person = house.watcher()
    person.guest(name)
    assert person.call("GET", "/me")["name"] == name


# -- being called otherwise -------------------------------------------------------------------------------------------


def test_a_new_name_shows_everywhere_at_once(settings: Settings) -> None:
    """At both processes: to oneself, in the lobby, at the table to everybody there, and in what one says."""
    with Served(settings) as served, Served(settings, served.clock) as other:
        for process in (served, other):
            wait(lambda process=process: process.services.link.up)  # type: ignore[misc]
        table, (ada, ben) = seated(served)
        there = ada.at(other.url)
        assert there.call("GET", "/me")["name"] == "Ada"
        with ben.feed(table) as seat, other.watcher().feed(table) as watcher:
            for feed in (seat, watcher):
                assert feed.next()["table"]["seats"][0]["name"] == "Ada"
            known = ben.http.get(f"/tables/{table}").headers["etag"]
            before = ada.call("GET", "/me")
            assert ada.call("POST", "/me", {"name": "Ada  Lovelace"}) == before | {"name": "Ada  Lovelace"}
            for feed in (seat, watcher):
                frame = feed.next()
                assert frame["table"]["seats"][0]["name"] == "Ada  Lovelace"
                assert frame["lines"] == []
            assert [person.call("GET", "/me")["name"] for person in (ada, there)] == ["Ada  Lovelace"] * 2
            assert ben.http.get(f"/tables/{table}", headers={"if-none-match": known}).status_code == 200
            said = there.call("POST", f"/tables/{table}/says", {"emote": "hello"})
            assert said["name"] == "Ada  Lovelace"


def test_a_new_name_is_kept(settings: Settings) -> None:
    with Served(settings) as before:
        ada = before.person("Ada")
        ada.call("POST", "/me", {"name": "Grace"})
    with Served(settings) as after:
        assert ada.at(after.url).call("GET", "/me")["name"] == "Grace"


@pytest.mark.parametrize("name", ["", " ", "x" * 25, "\u200b", "Easy bot", "Easy bot 2", NOBODY, "a\nb"])
def test_a_name_that_is_none_changes_nothing(house: Served, name: str) -> None:
    ada = house.person("Ada")
    with pytest.raises(Refused) as no:
        ada.call("POST", "/me", {"name": name})
    assert no.value.status == 400
    assert ada.call("GET", "/me")["name"] == "Ada"


def test_a_name_is_not_changed_over_and_over(served: Served) -> None:
    ada = served.person("Ada")
    for number in range(10):
        ada.call("POST", "/me", {"name": f"Ada {number}"})
    with pytest.raises(Refused) as no:
        ada.call("POST", "/me", {"name": "Ada"})
    assert (no.value.status, no.value.code) == (429, "TOO_FAST")
    served.clock.ahead += 60_000
    assert ada.call("POST", "/me", {"name": "Ada"})["name"] == "Ada"


def test_only_oneself_has_a_name_to_change(house: Served) -> None:
    with pytest.raises(Refused) as no:
        house.watcher().call("POST", "/me", {"name": "Eve"})
    assert (no.value.status, no.value.code) == (401, "TOKEN")
