"""The choices a table of Contract Rummy is opened with (RULES.md, "Options")."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a table; each has a default."""

    buy_seconds: Annotated[
        Literal[10, 20, 30, 45, 60],
        Meta(title="Time to buy", description="Seconds in which a discard may be bought before the stock opens."),
    ] = 30
    bot_pace: Annotated[
        Literal["brisk", "relaxed"],
        Meta(title="Pace of bots", description="How long bots take over a move, for people to follow."),
    ] = "brisk"
