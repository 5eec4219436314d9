"""`faircut case FILE…`: run case files. Exit 0 if all hold, 1 if some do not, 2 if one cannot be read."""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from domain import cases
from domain.positions import CaseError
from domain.registry import GAMES


def arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="case files, or folders of them")
    shape = "print a list of {file, about, ok, differences, error}"
    parser.add_argument("--json", action="store_true", help=shape)


def run(args: argparse.Namespace) -> int:
    """Run all cases, print a line for each and what does not hold."""
    results = [_one(file) for file in _files(args.files)]
    if args.json:
        print(json.dumps(results, indent=2, ensure_ascii=False))
    else:
        _print(results)
    if not results or any(result["error"] for result in results):
        return 2
    return 0 if all(result["ok"] for result in results) else 1


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.rglob("*.toml"))
        else:
            yield path


def _one(file: Path) -> dict[str, Any]:
    result: dict[str, Any] = {"file": str(file), "about": None, "ok": False, "differences": [], "error": None}
    try:
        case = cases.parse(file.read_text(encoding="utf-8"))
        result["about"] = case.about
        result["differences"] = cases.run(case, GAMES)
        result["ok"] = not result["differences"]
    except (OSError, UnicodeDecodeError, CaseError) as fault:
        result["error"] = str(fault)
    return result


def _print(results: list[dict[str, Any]]) -> None:
    for result in results:
        if result["error"]:
            print(f"{result['file']}: {result['error']}", file=sys.stderr)
            continue
        print(f"{'✓' if result['ok'] else '✗'} {result['about']}")
        if not result["ok"]:
            for difference in result["differences"]:
                print(f"    {result['file']}: {difference}")
    held = sum(result["ok"] for result in results)
    print(f"{held} of {len(results)} hold" if results else "no case files found")
