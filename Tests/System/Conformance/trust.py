"""How many vectors of a client fail. One whose vectors mostly fail is broken, and is not played to the end."""

from __future__ import annotations

from collections import Counter

MOST_FAILED_AT_FIRST, MOST_FAILED_AGAIN = 6, 2
"""How many tries of a client may fail in the first pass and in each later one, if most of all its tries fail."""
FAILED_FOR_EACH_PASSED = 3
"""How many tries fail for each that passes, before most fail."""


class Trust:
    """Counts the tries of each client in one pass over the vectors and in all."""

    def __init__(self) -> None:
        self._passed: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._failed_now: Counter[str] = Counter()
        self._most = MOST_FAILED_AT_FIRST
        self._is_alone = False
        self._broken: set[str] = set()

    def begin_pass(self, number: int, beside: int) -> None:
        self._failed_now.clear()
        self._is_alone = number > 1 and beside == 1
        self._most = MOST_FAILED_AT_FIRST if number == 1 else MOST_FAILED_AGAIN

    def passed(self, client: str) -> None:
        self._passed[client] += 1

    def failed(self, client: str, was_disturbed: bool) -> None:
        """Counts a failure. One that was disturbed although it ran alone counts if no try has passed."""
        if was_disturbed and self._is_alone and self._passed[client]:
            return
        self._failed[client] += 1
        self._failed_now[client] += 1
        if self._is_alone and self.pauses(client):
            self._broken.add(client)

    def pauses(self, client: str) -> bool:
        """Whether most tries of a client have failed, and enough of them in this pass."""
        mostly_fails = self._failed[client] > FAILED_FOR_EACH_PASSED * self._passed[client]
        return mostly_fails and self._failed_now[client] >= self._most

    def is_broken(self, client: str) -> bool:
        """Whether they have failed alone, too. The client is then not played again."""
        return client in self._broken

    def told(self, client: str) -> str:
        return f"{self._failed[client]} of {self._failed[client] + self._passed[client]} tries have failed"
