"""`python -m tests.bench [--only selfplay,audit] [--json FILE]`: measure and print; exit 1 if a budget is missed."""

import argparse
import json
import sys
from importlib import import_module

from rich.console import Console
from rich.table import Table

from tests.bench import Row

SUITES = ("selfplay", "audit", "bots", "contract", "store", "projections", "http", "page")


def main() -> int:
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--only", default=",".join(SUITES), help=f"some of {', '.join(SUITES)}")
    parser.add_argument("--json", metavar="FILE", help="also write the rows here")
    args = parser.parse_args()
    rows: list[Row] = []
    for suite in args.only.split(","):
        print(f"… {suite}", file=sys.stderr, flush=True)
        rows += import_module(f"tests.bench.{suite}").rows()
    show(rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump([row._asdict() | {"ratio": row.ratio, "holds": row.holds} for row in rows], file, indent=1)
    return int(any(row.holds is False for row in rows))


def show(rows: list[Row]) -> None:
    """Print the rows as a table."""
    table = Table("what", "ours", "beside", "theirs", "ratio", "asked", "")
    for row in rows:
        asked = f"≥ {row.least} ×" if row.least is not None else f"≤ {row.most:g}" if row.most is not None else ""
        table.add_row(
            row.name,
            f"{row.value:,.4g} {row.unit}",
            row.peer,
            f"{row.peer_value:,.4g}" if row.peer_value else "",
            f"{row.ratio:.2f}" if row.ratio else "",
            asked,
            {True: "✓", False: "✗", None: ""}[row.holds],
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    sys.exit(main())
