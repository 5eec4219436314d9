"""`python -m tests.golden GAME…`: play and write golden records that are not there yet."""

import sys

from tests.golden import make

for name in sys.argv[1:]:
    for path in make(name):
        print(f"{path.parent.parent.name}/{path.parent.name}/{path.name}: {len(path.read_bytes().splitlines())} events")
