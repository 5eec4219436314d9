"""The choices a table of Thai Rummy is opened with (RULES.md, "Options")."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """Options of a table; each has a default."""

    target: Annotated[
        Literal[500, 300],
        Meta(title="Target", description="Who goes out and then has this many points wins the game."),
    ] = 500
    floor: Annotated[
        Literal[-500, -300],
        Meta(title="Floor", description="The game ends against a player whose total falls to this or below it."),
    ] = -500
    fed_penalty: Annotated[
        Literal["on", "off"],
        Meta(
            title="Fed penalty",
            description="Whoever threw the card with which another player starts the turn that ends the hand loses 50.",
        ),
    ] = "on"
    gift_penalty: Annotated[
        Literal["on", "off"],
        Meta(title="Gift penalty", description="A discard that goes on a meld of the table costs 50."),
    ] = "on"
    doubling: Annotated[
        Literal["on", "off"],
        Meta(
            title="Doubling",
            description="The score of a player who laid nothing before the last turn of a hand is doubled.",
        ),
    ] = "on"
    double_scope: Annotated[
        Literal["all", "cards"],
        Meta(title="What is doubled", description="The whole score of the hand, or only the points of the cards."),
    ] = "all"
    bot_pace: Annotated[
        Literal["brisk", "relaxed"],
        Meta(title="Pace of bots", description="How long bots take over a move, for people to follow."),
    ] = "brisk"
