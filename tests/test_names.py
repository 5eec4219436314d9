"""Guards on names, imports and sizes: what would go wrong quietly."""

import ast
import importlib
import importlib.metadata
import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest

from domain import events
from domain.registry import GAMES

ROOT = Path(__file__).parent.parent
OURS = ("domain", "replay", "projections", "bots", "api")
SOURCES = sorted(path for package in OURS for path in (ROOT / package).rglob("*.py"))
TREES = {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCES}
LINES, FUNCTION = 450, 60  # the most lines of a file and of a function

ABUSE = (ROOT / "tests" / "ABUSE.md").read_text(encoding="utf-8")

# What is stored of a table, for ever: tags and field names. A new field needs a default that old events keep.
STORED = {
    "opened": "at id commit game rules protocol seats options host watch_delay",
    "sat": "at seat who kind cut level",
    "stood": "at seat",
    "started": "at kinds cuts",
    "cut": "at seat cut",
    "voided": "at seats",
    "moved": "at state seat move by command",
    "ticked": "at state",
    "hurried": "at state seat",
    "granted": "at state ms since",
    "left": "at state seat",
    "covered": "at state seat level",
    "returned": "at state seat",
    "agreed": "at state seat",
    "closed": "at how",
    "revealed": "at seed",
}


@pytest.mark.parametrize("package", [*OURS, "tests"])
def test_our_packages_are_ours(package: str) -> None:
    """Their names are common ones: no installed distribution may own one, and each is found inside this folder."""
    owners = set(importlib.metadata.packages_distributions().get(package, []))
    assert owners <= {"faircut"}, f"{owners} installs a package called {package}"
    module = importlib.import_module(package)
    assert Path(module.__file__ or "").resolve().parent == ROOT / package


def test_the_names_that_are_stored_are_frozen() -> None:
    stored = {}
    for struct in get_args(events.Event):
        config = struct.__struct_config__
        stored[config.tag] = {field.encode_name for field in msgspec.structs.fields(struct)}
        assert (config.tag_field, config.omit_defaults, config.forbid_unknown_fields) == ("type", True, True)
    assert stored == {tag: set(fields.split()) for tag, fields in STORED.items()}


def imports(tree: ast.AST) -> set[str]:
    """The modules that are imported, whole names."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


IMPURE = {
    "asyncio", "datetime", "io", "logging", "multiprocessing", "numpy", "os", "pathlib", "random", "secrets", "socket",
    "subprocess", "sys", "tempfile", "threading", "time", "uuid",
}  # fmt: skip
BARRED = {"open", "input", "print", "hash", "id", "eval", "exec", "__import__"}


def calls(tree: ast.AST) -> list[tuple[str, int]]:
    """Names of the functions that are called by a plain name, and the lines."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return [(node.func.id, node.lineno) for node in nodes if isinstance(node.func, ast.Name)]


def test_rules_have_no_clock_no_randomness_and_no_io() -> None:
    found = []
    for path, tree in TREES.items():
        if path.startswith("domain/"):
            found += [f"{path} imports {name}" for name in imports(tree) if name.split(".")[0] in IMPURE]
            found += [f"{path}:{line} calls {name}" for name, line in calls(tree) if name in BARRED]
    assert found == []


def test_nothing_but_the_case_command_sets_a_position() -> None:
    setters = {"domain.positions", "domain.cases"}
    found = {path for path, tree in TREES.items() if imports(tree) & setters}
    assert found <= {"api/cli_case.py", "domain/cases.py"}


def test_files_and_functions_are_not_too_long() -> None:
    found = []
    for path, tree in TREES.items():
        if (lines := len((ROOT / path).read_text(encoding="utf-8").splitlines())) > LINES:
            found.append(f"{path} has {lines} lines")
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or 0) - node.lineno + 1
                found += [f"{path}: {node.name} has {length} lines"] if length > FUNCTION else []
    assert found == []


LEVELS = {"debug", "info", "warning", "error", "critical", "exception", "log"}
SECRET = re.compile(r"seed|key|vault|cut|token|ticket|hands?|stock|state|raw|blind|view|secret|password|move")


def is_log(node: ast.AST) -> bool:
    """Whether this is a call that writes to a log."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    log = node.func.value
    named = log.attr if isinstance(log, ast.Attribute) else log.id if isinstance(log, ast.Name) else ""
    return named.lower() in ("log", "logger", "_log", "logging") and node.func.attr in LEVELS


def test_no_log_line_is_handed_a_secret() -> None:
    found = []
    for path, tree in TREES.items():
        for call in filter(is_log, ast.walk(tree)):
            names = {n.id for n in ast.walk(call) if isinstance(n, ast.Name)}
            names |= {n.attr for n in ast.walk(call) if isinstance(n, ast.Attribute)}
            found += [f"{path} logs {name}" for name in names if SECRET.fullmatch(name)]
    assert found == []


def test_only_commands_print() -> None:
    found = []
    for path, tree in TREES.items():
        if not re.search(r"/(cli[a-z_]*|__main__)\.py$", path):
            found += [f"{path}:{line}" for name, line in calls(tree) if name == "print"]
    assert found == []


@pytest.mark.parametrize("name", sorted(GAMES))
def test_every_game_has_its_rules_written_down(name: str) -> None:
    """RULES.md stands beside the rules, under the game's title, and every sheet that the code cites is there."""
    folder = ROOT / "domain" / name
    sheet = (folder / "RULES.md").read_text(encoding="utf-8")
    game = GAMES[name][max(GAMES[name])]
    assert game.title in sheet.splitlines()[0]
    headings = {line.lstrip("# ").strip().lower() for line in sheet.splitlines() if line.startswith("#")}
    for path in folder.rglob("*.py"):
        for cited in re.findall(r'RULES\.md, "([^"]+)"', path.read_text(encoding="utf-8")):
            assert any(cited.lower() in heading for heading in headings), f"{path.name} cites {cited}"


def test_every_game_names_itself_and_its_versions() -> None:
    for name, versions in GAMES.items():
        assert re.fullmatch("[a-z][a-z0-9_]*", name)
        assert sorted(versions) == list(range(1, len(versions) + 1)), "versions of rules are never taken back"
        for rules, game in versions.items():
            assert (game.name, game.rules) == (name, rules)
            assert game.title
            assert game.teaser
            assert game.Options() == msgspec.convert({}, game.Options)
            assert game.Options.__struct_config__.forbid_unknown_fields


def test_every_attack_has_a_test_that_exists() -> None:
    rows = re.findall(r"^\| (\d+a?) \|.*\| (.+) \|$", ABUSE, re.MULTILINE)
    first = [*map(str, range(1, 14)), "13a", *map(str, range(14, 23))]
    assert [number for number, _ in rows[: len(first)]] == first
    more = [int(number) for number, _ in rows[len(first) :]]  # those of single games, each with its game
    assert more == sorted(set(more))
    assert not {n for n in more if n < 23}
    there = set()
    for path in (ROOT / "tests").rglob("test_*.py"):
        there |= set(re.findall(r"def (test_\w+)", path.read_text(encoding="utf-8")))
    for number, tests in rows:
        named = re.findall(r"`(\w+)`", tests)
        assert named, f"attack {number} has no test"
        assert not set(named) - there, f"attack {number}: {set(named) - there}"
