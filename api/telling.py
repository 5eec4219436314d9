"""What a person is told of a table, in answers to requests: the same views that feeds push."""

from api.schemas import Done, Receipt, Seated
from api.services import Services, Viewer
from domain.table import Table
from projections.views import TableView, lines_view, seat_of, table_view, viewer_of
from replay.tables import Answer, Live, Shown, Told


class Teller:
    """Answers in the words of one house."""

    def __init__(self, house: Services) -> None:
        self._house = house

    async def table(self, viewer: Viewer) -> TableView:
        """The table as it is shown to a viewer now."""
        return await self._view(viewer.live.shown(viewer.seat, self._house.clock()), viewer)

    async def seated(self, viewer: Viewer) -> Seated:
        """The table, and whose people are quiet."""
        live = viewer.live
        people = {c.who: i for i, c in enumerate(live.table.chairs) if c and c.kind == "human"}
        silent: set[str] = set()
        if live.table.phase == "playing":
            silent = (await self._house.people.quiet([live.table.id])).get(live.table.id, set())
        quiet = tuple(sorted(seat for who, seat in people.items() if who in silent))
        return Seated(table=await self.table(viewer), quiet=quiet)

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
        table = await self._view(shown, Viewer(live, None, who, seat, held if seat is None else None))
        lines = lines_view(shown.table, told, seat, await house.people.names(shown.table))
        return Done(seen=table.seen, receipt=receipt, lines=lines, table=table)

    async def _view(self, shown: Shown, viewer: Viewer) -> TableView:
        house = self._house
        return table_view(
            shown.table, viewer.seat, house.notes, await house.people.names(shown.table), who=viewer.who,
            covered=viewer.covered, checkpoint=shown.checkpoint,
        )  # fmt: skip


def playing(table: Table) -> bool:
    """Whether there is a game to ask about."""
    return table.state is not None
