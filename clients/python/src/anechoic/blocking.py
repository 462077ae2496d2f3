"""Sessions for scripts and threads without an event loop.

    with anechoic.blocking.Session("127.0.0.1:50051", microphone=anechoic.Format(16000)) as session:
        session.feed(samples)
        voice = session.read(320)

An event loop runs in a thread of its own. All methods may be called from any thread, and wait.
"""

from __future__ import annotations

import asyncio
import threading
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, List, Type, TypeVar

from . import session as _session, sessions as _sessions
from ._output import Output
from .connection import Connection
from .enums import InjectionPermission
from .events import Event, MuteState
from .formats import Audio, Samples
from .settings import Settings
from .statistics import Statistics

T = TypeVar("T")


class _Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="anechoic", daemon=True)
        self._thread.start()

    def wait(self, work: Awaitable[T]) -> T:
        async def run() -> T:
            return await work

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def call(self, function: Callable[[], T]) -> T:
        async def run() -> T:
            return function()

        return self.wait(run())

    def iterate(self, make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        iterator = self.call(lambda: make().__aiter__())
        while True:
            try:
                yield self.wait(iterator.__anext__())
            except StopAsyncIteration:
                return

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class Session:
    """Does what `anechoic.Session` does, whose arguments it takes, and waits."""

    def __init__(self, server: _session.Server, **options: Any) -> None:
        self._loop = _Loop()
        try:
            self._session = self._loop.call(lambda: _session.Session(server, **options))
        except BaseException:
            self._loop.stop()
            raise

    def __enter__(self) -> Session:
        try:
            self._loop.wait(self._session.open())
        except BaseException:
            self._loop.stop()
            raise
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.wait(self._session.__aexit__(kind, error, trace))
        self._loop.stop()

    def feed(
        self, microphone: Audio = b"", reference: Audio = b"", far_end: Audio = b"", other_audio: Audio = b""
    ) -> None:
        self._loop.wait(self._session.feed(microphone, reference, far_end, other_audio))

    def finish(self) -> None:
        self._loop.wait(self._session.finish())

    def read(self, count: int | None = None) -> Samples:
        return self._loop.wait(self._session.read(count))

    def __iter__(self) -> Iterator[Output]:
        return self._loop.iterate(self._session.__aiter__)

    def process(self, microphone: Audio, reference: Audio = b"") -> Iterator[Output]:
        return self._loop.iterate(lambda: self._session.process(microphone, reference))

    def events(self) -> Iterator[Event]:
        return self._loop.iterate(self._session.events)

    def mute(self) -> int:
        return self._loop.wait(self._session.mute())

    def unmute(self) -> int:
        return self._loop.wait(self._session.unmute())

    def configure(self, settings: Settings) -> int:
        return self._loop.wait(self._session.configure(settings))

    @property
    def id(self) -> str:
        return self._session.id

    @property
    def is_muted(self) -> bool:
        return self._session.is_muted

    @property
    def statistics(self) -> Statistics | None:
        return self._session.statistics


class Sessions:
    """Does what `anechoic.Sessions` does, and waits."""

    def __init__(self, server: str | Connection, *, client: str = "") -> None:
        self._loop = _Loop()
        self._sessions = self._loop.call(lambda: _sessions.Sessions(server, client=client))

    def __enter__(self) -> Sessions:
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.wait(self._sessions.__aexit__(kind, error, trace))
        self._loop.stop()

    def list(self) -> List[_sessions.SessionInfo]:
        return [*self._loop.iterate(self._sessions.list)]

    def get(self, session: str) -> _sessions.SessionInfo:
        return self._loop.wait(self._sessions.get(session))

    def watch(self, session: str, **options: Any) -> Iterator[_sessions.Watched]:
        return self._loop.iterate(lambda: self._sessions.watch(session, **options))

    def mute(self, session: str) -> MuteState:
        return self._loop.wait(self._sessions.mute(session))

    def unmute(self, session: str) -> MuteState:
        return self._loop.wait(self._sessions.unmute(session))

    def configure(self, session: str, settings: Settings) -> _sessions.SessionInfo:
        return self._loop.wait(self._sessions.configure(session, settings))

    def gesture(self, session: str, *, muted: bool | None = None) -> _sessions.Gesture:
        return self._loop.wait(self._sessions.gesture(session, muted=muted))

    def ask_to_inject(self, session: str, usage: str) -> InjectionPermission:
        return self._loop.wait(self._sessions.ask_to_inject(session, usage))

    def say(self, session: str, text: str, *, voice: str = "") -> float:
        """Returns how many seconds were heard."""
        return self._loop.wait(self._sessions.say(session, text, voice=voice)).total_seconds()

    def delete(self, session: str) -> None:
        self._loop.wait(self._sessions.delete(session))
