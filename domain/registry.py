"""The games there are: one line a game, newest rules last. A table is replayed under the version it was opened with."""

from typing import Any

from domain.contract_rummy.rules import ContractRummy
from domain.game import Game, Illegal
from domain.michigan_rummy.rules import MichiganRummy
from domain.rummy.rules import Rummy
from domain.thai_rummy.rules import ThaiRummy

AnyGame = Game[Any, Any, Any, Any]

_ALL: tuple[AnyGame, ...] = (
    MichiganRummy(),
    Rummy(),
    ContractRummy(),
    ThaiRummy(),
)  # fmt: skip

GAMES: dict[str, dict[int, AnyGame]] = {}
for _game in _ALL:
    GAMES.setdefault(_game.name, {})[_game.rules] = _game


def newest(name: str) -> AnyGame:
    """The game under its current rules. Raises Illegal("NO_SUCH_GAME", …)."""
    if name not in GAMES:
        raise Illegal("NO_SUCH_GAME", "There is no game of that name here.")
    return GAMES[name][max(GAMES[name])]


def version(name: str, rules: int) -> AnyGame:
    """The game under a given version of its rules. Raises Illegal("RULES_UNSUPPORTED", …)."""
    try:
        return GAMES[name][rules]
    except KeyError:
        raise Illegal("RULES_UNSUPPORTED", f"This build does not know version {rules} of {name}.") from None
