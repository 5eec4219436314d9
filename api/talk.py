"""What is said at tables: the last few things, in memory alone. It is never stored, and no rule reads it."""

import asyncio
import contextlib
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence

from api.people import BLANK, piled
from api.recent import Pace, Recent
from api.schemas import Emote, SaysFrame
from domain.game import Hidden

LAST = 30  # things said that a table's newcomers hear
TABLES = 2_000  # tables of which that is remembered
MOST, PER_MS = 5, 10_000  # things that one person may say, in so many ms
LONG = 140  # characters

_JOINERS = "\u200c\u200d"  # they make one sign of several, in several scripts and among pictures


class BadText(ValueError):
    """A text that is not passed on; the message says why."""


class Said(Hidden, frozen=True, kw_only=True):
    """A thing said, as it goes over the bus. `who`: its speaker at this table alone; `seat`: theirs at that time.

    `at`: wall-clock ms since 1970; `watch_at`: the same, when watchers may hear it.
    """

    id: str
    who: str
    seat: int | None
    name: str
    text: str | None
    emote: Emote | None
    at: int
    watch_at: int

    def frame(self) -> SaysFrame:
        """As feeds say it."""
        what = {"text": self.text} if self.emote is None else {"emote": self.emote}
        return SaysFrame(id=self.id, from_=self.seat, who=self.who, name=self.name, at=self.at, **what)


class Talk:
    """All that a process has heard."""

    def __init__(self) -> None:
        self.pace = Pace(MOST, PER_MS)
        self._kept: Recent[str, deque[Said]] = Recent(TABLES)
        self._waiting: dict[str, asyncio.Future[None]] = {}

    def of(self, table_id: str) -> Sequence[Said]:
        """The last things said at a table, oldest first."""
        return self._kept.get(table_id) or ()

    def hear(self, table_id: str, said: Said) -> None:
        """Something was said at a table, here or elsewhere."""
        waiting = self._waiting.get(said.id)
        if waiting is None:
            self.pace.count([said.who], said.at)
        elif not waiting.done():
            waiting.set_result(None)
        kept = self._kept.get(table_id) or deque(maxlen=LAST)
        kept.append(said)
        self._kept.put(table_id, kept)

    @contextlib.contextmanager
    def heard(self, said: Said) -> Iterator[asyncio.Future[None]]:
        """Done once the bus has brought this back to us, and so to everybody."""
        waiting = self._waiting[said.id] = asyncio.get_running_loop().create_future()
        try:
            yield waiting
        finally:
            del self._waiting[said.id]


def clean_text(text: str) -> str:
    """The text as it is passed on: one line that can be read and leaves others alone. Raises BadText."""
    text = unicodedata.normalize("NFC", text)
    text = "".join(" " if unicodedata.category(sign) == "Zs" else sign for sign in text).strip()
    if not 1 <= len(text) <= LONG:
        raise BadText(f"Say something of 1 to {LONG} characters.")
    if not all(sign.isprintable() or sign in _JOINERS for sign in text):
        raise BadText("Say it in one line, in characters that can be seen.")
    if piled(text):
        raise BadText("That is more marks on a letter than can be read.")
    if not any(unicodedata.category(sign)[0] in "LNPS" for sign in BLANK.sub("", text)):
        raise BadText("There is nothing to be seen in that.")
    return text
