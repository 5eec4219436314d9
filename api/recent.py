"""What a process remembers for a while: the latest of many things, and how often somebody has done something."""

from collections import OrderedDict, deque
from collections.abc import Iterable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A dict that forgets what was used longest ago."""

    def __init__(self, size: int) -> None:
        self._size, self._kept = size, OrderedDict[K, V]()

    def get(self, key: K) -> V | None:
        """What is kept under a key, None if nothing is."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep a value."""
        self._kept[key] = value
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)

    def drop(self, key: K) -> None:
        """Forget what is kept under a key."""
        self._kept.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._kept.clear()


class Pace:
    """At most so many times in so many ms, for each of many keys."""

    def __init__(self, most: int, per_ms: int, size: int = 20_000) -> None:
        self._most, self._per_ms = most, per_ms
        self._times: Recent[str, deque[int]] = Recent(size)

    def wait(self, keys: Iterable[str], now: int) -> int:
        """For how many ms whoever goes by these keys has to wait; 0: not at all."""
        full = [times for key in keys if len(times := self._lately(key, now)) >= self._most]
        return max((times[-self._most] + self._per_ms - now for times in full), default=0)

    def count(self, keys: Iterable[str], now: int) -> None:
        """It has been done once."""
        for key in keys:
            times = self._lately(key, now)
            times.append(now)
            self._times.put(key, times)

    def _lately(self, key: str, now: int) -> deque[int]:
        """When it was done within the time that counts; a clock put back makes nobody wait for longer."""
        times = self._times.get(key) or deque(maxlen=self._most)
        while times and not now - self._per_ms < times[0] <= now:
            times.popleft()
        return times
