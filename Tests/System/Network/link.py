"""A bad network between two namespaces. It passes IP packets from one to the other, late, or not at all."""

from __future__ import annotations

import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time
from dataclasses import dataclass

_TUNSETIFF, _IFF_TUN, _IFF_NO_PI = 0x400454CA, 1, 0x1000
_LONGEST_PACKET = 65536


@dataclass(frozen=True)
class Weather:
    """How bad the network is, in each direction. Times are in seconds."""

    loss: float
    """The share of packets that are lost."""
    delay: float
    jitter: float
    """The delay of each direction grows by 0 to this time. The time changes every `calm` seconds."""
    calm: float
    outage: float
    """For how long nothing passes."""
    outage_every: float
    """The mean time from one outage to the next."""
    address_every: float = 0.0
    """The time after which the second namespace gets another address. 0: never."""


class Link:
    """Two namespaces and the network between them. Use it as a context.

    The kernel's netem does the same where it is built in. This needs only /dev/net/tun.
    """

    def __init__(self, names: tuple[str, str], weather: Weather, seed: int) -> None:
        self.spaces = [f"net{os.getpid() % 100000}-{name}" for name in names]
        self.addresses = ["10.78.0.1", "10.78.0.2"]
        self.outages = self.changes = 0
        self.lost_packets = 0
        self.packets = 0
        self._weather, self._random = weather, random.Random(seed)
        self._ends: list[int] = []
        self._is_closing = False
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Link:
        try:
            for number, space in enumerate(self.spaces):
                self._make(number, space)
        except BaseException:
            self._remove()
            raise
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_closing = True
        self._thread.join()
        self._remove()

    def command(self, number: int, *command: str) -> list[str]:
        """Returns the command that runs a program in a namespace."""
        return ["ip", "netns", "exec", self.spaces[number], *command]

    def _make(self, number: int, space: str) -> None:
        name = self._interface(number)
        _ip("netns", "add", space)
        end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        self._ends.append(end)
        fcntl.ioctl(end, _TUNSETIFF, struct.pack("16sH", name.encode(), _IFF_TUN | _IFF_NO_PI))
        _ip("link", "set", name, "netns", space)
        _ip("-n", space, "address", "add", self.addresses[number], "peer", self.addresses[1 - number], "dev", name)
        _ip("-n", space, "link", "set", name, "up")
        _ip("-n", space, "link", "set", "lo", "up")
        if number == 0:
            _ip("-n", space, "route", "add", "10.78.0.0/24", "dev", name)

    def _interface(self, number: int) -> str:
        return f"{self.spaces[number][:12]}{number}"

    def _change_address(self) -> None:
        """Gives the second namespace another address, as a telephone that changes from one network to another."""
        space, name, old = self.spaces[1], self._interface(1), self.addresses[1]
        self.changes += 1
        self.addresses[1] = f"10.78.0.{2 + self.changes % 250}"
        _ip("-n", space, "address", "del", old, "peer", self.addresses[0], "dev", name)
        _ip("-n", space, "address", "add", self.addresses[1], "peer", self.addresses[0], "dev", name)

    def _remove(self) -> None:
        for end in self._ends:
            os.close(end)
        for space in self.spaces:
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)

    def _run(self) -> None:
        weather, draw = self._weather, self._random
        waiting: list[tuple[float, int, int, bytes]] = []
        latest, jitter, changes_at = [0.0, 0.0], [0.0, 0.0], 0.0
        breaks_at, works_at = time.monotonic() + draw.expovariate(1 / weather.outage_every), 0.0
        moves_at = time.monotonic() + (weather.address_every or float("inf"))
        while not self._is_closing:
            wait = max(0.0, waiting[0][0] - time.monotonic()) if waiting else 0.05
            readable, _, _ = select.select(self._ends, [], [], min(wait, 0.05))
            now = time.monotonic()
            if now >= changes_at:
                jitter, changes_at = [draw.uniform(0, weather.jitter) for _ in self._ends], now + weather.calm
            if now >= breaks_at:
                works_at = now + weather.outage
                breaks_at = works_at + draw.expovariate(1 / weather.outage_every)
                self.outages += 1
            if now >= moves_at:
                moves_at = now + weather.address_every
                self._change_address()
            for end in readable:
                number = self._ends.index(end)
                packet = os.read(end, _LONGEST_PACKET)
                self.packets += 1
                if now < works_at or draw.random() < weather.loss:
                    self.lost_packets += 1
                    continue
                # No packet overtakes another one.
                latest[number] = max(latest[number], now + weather.delay + jitter[number])
                heapq.heappush(waiting, (latest[number], self.packets, self._ends[1 - number], packet))
            while waiting and waiting[0][0] <= time.monotonic():
                _, _, end, packet = heapq.heappop(waiting)
                try:
                    os.write(end, packet)
                except OSError:
                    self.lost_packets += 1


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
