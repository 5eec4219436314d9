"""What people may be called: nothing that looks empty, and nothing that looks like the house's own."""

import pytest

from projections.views import BOT_NAMES, NOBODY
from tests.api.house import Refused, Served

BLANK = ("\u3164", "\u115f", "\u1160", "\uffa0", "\u034f", "\u17b4", "\u180b", "\ufe0f", "\U000e0100", "\U00013441")


@pytest.mark.parametrize("name", [" ", "\u200b", "\u2800", "\u0301", *BLANK, *(f"A{sign}da" for sign in BLANK)])
def test_a_name_that_cannot_be_seen_is_refused(house: Served, name: str) -> None:
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


@pytest.mark.parametrize("name", ["Ada", "Zoë O'Neil", "山田", "नमस्ते", "김", "Bottom", "Somebody else", "J. R. 2"])
def test_other_names_are_taken(house: Served, name: str) -> None:
    person = house.watcher()
    person.guest(name)
    assert person.call("GET", "/me")["name"] == name
