"""What things cost, measured beside something known in the same run: `make bench`.

A row says what we did, what the peer did and the least ratio that the design asks for. Speed is judged here and never
in a test: machines differ, ratios of one run hold.
"""

from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    """One figure. `least`: the smallest acceptable value/peer, or None; `most`: the largest acceptable value."""

    name: str
    value: float
    unit: str
    peer: str = ""
    peer_value: float | None = None
    least: float | None = None
    most: float | None = None

    @property
    def ratio(self) -> float | None:
        return self.value / self.peer_value if self.peer_value else None

    @property
    def holds(self) -> bool | None:
        """Whether the figure is within its budget; None if it has none."""
        if self.least is not None and self.ratio is not None:
            return self.ratio >= self.least
        if self.most is not None:
            return self.value <= self.most
        return None


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which a share of all lies (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
