"""The channels of a connection, for each event loop that uses it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import contextmanager
from typing import Any, Callable, Iterator

import grpc
import grpc.aio

from ._methods import Method
from ._processes import check_process


class ChannelsOfLoops:
    """The channels of each event loop: a channel works only in the loop in which it was made."""

    def __init__(self, make: Callable[[], grpc.aio.Channel]) -> None:
        self._make = make
        self._channels: dict[asyncio.AbstractEventLoop | None, Channels] = {}

    def here(self) -> Channels:
        """Returns the channels of the event loop that runs, and drops those of loops that are closed."""
        for loop in [*self._channels]:
            if loop is not None and loop.is_closed():
                self._channels.pop(loop, None)
        return self._channels.setdefault(_running_loop(), Channels(self._make))

    async def close(self) -> None:
        """Closes the channels of this event loop and ends their calls. Another loop's close after their last call."""
        here = self.here()
        self._channels.clear()
        await here.close()


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class Channels:
    """The channel of new calls, and earlier ones, each until its last call has ended.

    So there are at most as many earlier channels as calls that run, and no call ends because another one has failed.
    """

    def __init__(self, make: Callable[[], grpc.aio.Channel]) -> None:
        self._make = make
        self._newest: grpc.aio.Channel | None = None
        self._retired: list[grpc.aio.Channel] = []
        self._uses: Counter[grpc.aio.Channel] = Counter()
        """The calls of each channel, and the attempts to connect it."""
        self._closing: set[asyncio.Task[None]] = set()

    def newest(self) -> grpc.aio.Channel:
        """Returns the channel of new calls. Another one if that could not connect: it would wait before it tries again.
        """
        check_process()
        if self._newest is not None and self._newest.get_state() is grpc.ChannelConnectivity.TRANSIENT_FAILURE:
            self.renew(self._newest)
        if self._newest is None:
            self._newest = self._make()
        return self._newest

    @contextmanager
    def use(self) -> Iterator[grpc.aio.Channel]:
        """Returns the channel of new calls, which stays open while the block runs."""
        channel = self.newest()
        self._uses[channel] += 1
        try:
            yield channel
        finally:
            self._release(channel)

    def begin(self, channel: grpc.aio.Channel, method: Method, shape: str, *request: Any, **options: Any) -> Any:
        """Begins a call on a channel in use, which stays open until the call has ended."""
        call = method.on(channel, shape)(*request, **options)
        self._uses[channel] += 1
        call.add_done_callback(lambda _: self._release(channel))
        return call

    def renew(self, failed: grpc.aio.Channel) -> None:
        """Makes the next call use a new channel, unless it would do so already."""
        if self._newest is failed:
            self._retired.append(failed)
            self._newest = None
            self._close_soon()

    async def close(self) -> None:
        """Closes all channels, and ends their calls."""
        channels = [each for each in (self._newest, *self._retired) if each is not None]
        self._newest, self._retired = None, []
        for channel in channels:
            await channel.close()

    def _release(self, channel: grpc.aio.Channel) -> None:
        self._uses[channel] -= 1
        if not self._uses[channel]:
            del self._uses[channel]
            self._close_soon()

    def _unused(self) -> grpc.aio.Channel | None:
        return next((each for each in self._retired if each not in self._uses), None)

    def _close_soon(self) -> None:
        """Closes the earlier channels without calls. Later, if there is no event loop, such as at the program's end."""
        if self._unused() is None:
            return
        loop = _running_loop()
        if loop is None:
            return
        task = loop.create_task(self._close_unused())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    async def _close_unused(self) -> None:
        while (channel := self._unused()) is not None:
            self._retired.remove(channel)
            await channel.close()
