"""The worked cases as files: each holds, and every number of the sheet has one."""

from pathlib import Path

import pytest

from domain import cases
from tests.contract_rummy.tables import GAME

CASES = Path(__file__).parents[1] / "cases" / "contract_rummy"


@pytest.mark.parametrize("file", sorted(CASES.glob("*.toml")), ids=lambda file: file.stem)
def test_case(file: Path) -> None:
    case = cases.parse(file.read_text(encoding="utf-8"))
    assert case.game == GAME.name
    assert cases.run(case, {GAME.name: {GAME.rules: GAME}}) == []


def test_every_worked_case_has_its_files() -> None:
    numbers = {file.name[:3] for file in CASES.glob("c*.toml")}
    assert numbers == {"c01", "c02", "c03", "c04", "c06", "c07", "c09", "c10", "c11", "c13", "c15"}
