"""The choices a table of Michigan Rummy is opened with (RULES.md, "Options")."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a table; each has a default."""

    discard_out: Annotated[
        Literal["off", "on"],
        Meta(title="Go out with a discard", description="A hand can only be ended by discarding its last card."),
    ] = "off"
    target: Annotated[
        Literal[500, 300],
        Meta(title="Target", description="The game ends after a hand that brings someone to this many points."),
    ] = 500
    bot_pace: Annotated[
        Literal["brisk", "relaxed"],
        Meta(title="Pace of bots", description="How long bots take over a move, for people to follow."),
    ] = "brisk"
