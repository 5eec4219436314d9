"""`faircut engine` for tests: a house that also plays the toy game."""

import argparse
import sys

from api import cli_engine
from tests.projections.support import play_toy

if __name__ == "__main__":
    play_toy()
    sys.exit(cli_engine.run(argparse.Namespace()))
