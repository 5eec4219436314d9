"""The choices a table of Rummy is opened with (RULES.md, "Options")."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a table; each has a default."""

    deadline: Annotated[
        int,
        Meta(
            ge=60,
            le=604_800,
            title="Deadline",
            description="Seconds for each turn, from a minute to a week. Who lets it pass loses the game.",
            examples=[60, 300, 900, 3_600, 86_400, 259_200, 604_800],
        ),
    ] = 86_400
    bot_pace: Annotated[
        Literal["brisk", "relaxed"],
        Meta(title="Pace of bots", description="How long bots take over a move, for people to follow."),
    ] = "brisk"
