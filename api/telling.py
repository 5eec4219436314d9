"""What a person is told of a table, in answers to requests: the same views that feeds push."""

from collections.abc import Mapping

from api.schemas import Done, Receipt, Seated
from api.services import Services, Viewer
from projections.views import TableView, lines_view, seat_of, table_view, viewer_of
from replay.live import Answer, Live, Shown, Told


class Teller:
    """Answers in the words of one house."""

    def __init__(self, house: Services) -> None:
        self._house = house

    async def table(self, viewer: Viewer) -> TableView:
        """The table as it is shown to a viewer now."""
        shown = viewer.live.shown(viewer.seat, self._house.clock())
        return self._view(shown, viewer, await self._house.people.names(shown.table))

    async def seated(self, viewer: Viewer) -> Seated:
        """The table, and whose people are quiet."""
        live = viewer.live
        people = {c.who: i for i, c in enumerate(live.table.chairs) if c and c.kind == "human"}
        silent: set[str] = set()
        if live.table.phase == "playing":
            silent = await self._house.people.quiet_at(live.table.id)
        quiet = tuple(sorted(seat for who, seat in people.items() if who in silent))
        shown = live.shown(viewer.seat, self._house.clock())
        aside = (await self._house.asides.of(live.table.id)).seen_at(shown.table)
        table = self._view(shown, viewer, await self._house.people.names(shown.table))
        return Seated(table=table, quiet=quiet, next=aside.next, watchers_say=aside.watchers_say)

    async def done(self, live: Live, answer: Answer, who: str | None) -> Done:
        """What came of somebody's command: a function of the command alone, so that a repetition reads the same."""
        step, house = answer.next, self._house
        receipt = Receipt(
            event=step.raw.decode(), blind=step.blind.hex(), leaf=step.leaf.hex(),
            note=house.signer.receipt(step.table.id, step.leaf).decode(),
        )  # fmt: skip
        seat = viewer_of(answer.table, who)
        shown = Shown(answer.table, answer.told, answer.checkpoint)
        told = [Told(line, step.table.seen) for line in step.lines]
        if seat is None:  # whoever watches may see late, also what they did themselves
            shown, told = live.shown(None, house.clock()), []
        held = seat_of(answer.table, who)
        names = await house.people.names(shown.table)
        table = self._view(shown, Viewer(live, None, who, seat, held if seat is None else None), names)
        lines = lines_view(shown.table, told, seat, names) if told else []
        return Done(seen=table.seen, receipt=receipt, lines=lines, table=table)

    def _view(self, shown: Shown, viewer: Viewer, names: Mapping[str, str]) -> TableView:
        return table_view(
            shown.table, viewer.seat, self._house.notes, names, who=viewer.who, covered=viewer.covered,
            checkpoint=shown.checkpoint,
        )  # fmt: skip
