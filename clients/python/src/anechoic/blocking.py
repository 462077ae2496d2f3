"""Sessions for scripts and threads without an event loop.

    with anechoic.blocking.Session("127.0.0.1:50051", microphone=anechoic.Format(16000)) as session:
        session.feed(samples)
        voice = session.read(320)

An event loop runs in a thread of its own. All methods may be called from any thread inside the with statement,
and wait.

Callbacks such as `on_mute_gesture` may call them, too: each call of one has a thread of its own, and up to 64 run at
the same time. Only what runs in the event loop itself may not, as it would wait for itself: an `async def` callback, or
the function `token` of a `Connection`. There, the methods throw `Refused` with the reason IN_EVENT_LOOP.
"""

from __future__ import annotations

import asyncio
import os
import threading
from types import TracebackType
from typing import Any, AsyncIterator, Awaitable, Callable, Iterator, List, Mapping, Tuple, Type, TypeVar

from . import session as _session, sessions as _sessions
from ._facts import Facts
from ._output import Output
from ._threads import in_thread
from .connection import Connection
from .enums import InjectionPermission, InterruptionReason, RouteChangeReason
from .errors import Refused
from .events import AudioRoute, Event
from .formats import Audio, Format, Samples
from .settings import Settings

T = TypeVar("T")
_CALLBACKS = {"on_injection_permission", "on_mute_gesture"}
_END_SECONDS = 5.0
"""The time for the end of work that is cancelled."""


class _Loop:
    """An event loop in a thread."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._process = os.getpid()
        self._thread = threading.Thread(target=self._loop.run_forever, name="anechoic", daemon=True)
        self._thread.start()

    def wait(self, work: Callable[[], Awaitable[T]]) -> T:
        """Returns the result.

        Throws `Refused` in a forked process, which has no thread of the loop, and in that thread, which would wait for
        itself.
        """
        if not self._is_here:
            raise Refused("the session belongs to the process that opened it; open another one here", reason="FORKED")
        if threading.current_thread() is self._thread:
            message = "this runs in the event loop of the session, which cannot wait for itself; call it from a thread"
            raise Refused(message, reason="IN_EVENT_LOOP")

        async def run() -> T:
            return await work()

        future = asyncio.run_coroutine_threadsafe(run(), self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    @property
    def _is_here(self) -> bool:
        return self._process == os.getpid()

    def stop(self) -> None:
        if not self._is_here:
            return
        self.wait(self._end_tasks)
        self.wait(self._loop.shutdown_asyncgens)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end_tasks(self) -> None:
        """Cancels the work of calls that were interrupted, such as by Ctrl-C, and waits for its end."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_END_SECONDS)


class _Blocking:
    """The loop of a session, which runs from `__enter__` to `__exit__`."""

    def __init__(self) -> None:
        self._loop: _Loop | None = None

    def _wait(self, work: Callable[[], Awaitable[T]]) -> T:
        if self._loop is None:
            raise Refused("the session is not open; use it in a with statement", reason="NOT_OPEN")
        return self._loop.wait(work)

    def _call(self, function: Callable[[], T]) -> T:
        """Returns the result of a function that does not wait."""

        async def call() -> T:
            return function()

        return self._wait(call)

    def _iterate(self, make: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        async def begin() -> AsyncIterator[T]:
            return make().__aiter__()

        iterator = self._wait(begin)
        try:
            while True:
                try:
                    yield self._wait(iterator.__anext__)
                except StopAsyncIteration:
                    return
        finally:
            close = getattr(iterator, "aclose", None)
            if close is not None and self._loop is not None:
                self._wait(close)

    def _enter(self, work: Callable[[], Awaitable[Any]]) -> None:
        if self._loop is not None:
            raise Refused("the session is open already", reason="OPENED_BEFORE")
        self._loop = _Loop()
        try:
            self._wait(work)
        except BaseException:
            self._stop()
            raise

    def _exit(self, work: Callable[[], Awaitable[Any]]) -> None:
        try:
            self._wait(work)
        finally:
            self._stop()

    def _stop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.stop()


class Session(_Blocking, Facts):
    """Does what `anechoic.Session` does, whose arguments it takes, and waits.

    Its callbacks may use it: see the module.
    """

    def __init__(self, server: _session.Server, **options: Any) -> None:
        super().__init__()
        for name in _CALLBACKS & options.keys():
            if callable(options[name]):
                options[name] = in_thread(options[name])
        self._session = _session.Session(server, **options)
        self._link, self._state = self._session._link, self._session._state

    def __enter__(self) -> Session:
        self._enter(self._session.open)
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit(lambda: self._session.__aexit__(kind, error, trace))

    def feed(
        self, microphone: Audio = b"", reference: Audio = b"", far_end: Audio = b"", other_audio: Audio = b"", *,
        far_ends: Mapping[str, Audio] | None = None, microphone_time: float | None = None,
        reference_time: float | None = None,
    ) -> None:
        self._wait(lambda: self._session.feed(
            microphone, reference, far_end, other_audio, far_ends=far_ends, microphone_time=microphone_time,
            reference_time=reference_time))

    def place_reference(self, reference: Audio) -> None:
        self._call(lambda: self._session.place_reference(reference))

    def drop_reference(self) -> bytes:
        return self._call(self._session.drop_reference)

    def finish(self) -> None:
        self._wait(lambda: self._session.finish())

    def read(self, count: int | None = None) -> Samples:
        return self._wait(lambda: self._session.read(count))

    def __iter__(self) -> Iterator[Output]:
        return self._iterate(self._session.__aiter__)

    def process(self, microphone: Audio, reference: Audio = b"") -> Iterator[Output]:
        return self._iterate(lambda: self._session.process(microphone, reference))

    def events(self) -> Iterator[Event]:
        return self._iterate(self._session.events)

    def mute(self, *, at_sample: int | None = None) -> int:
        return self._wait(lambda: self._session.mute(at_sample=at_sample))

    def unmute(self, *, at_sample: int | None = None) -> int:
        return self._wait(lambda: self._session.unmute(at_sample=at_sample))

    def configure(self, settings: Settings, *, at_sample: int | None = None) -> int:
        return self._wait(lambda: self._session.configure(settings, at_sample=at_sample))

    def clear_playback(self) -> int:
        return self._wait(self._session.clear_playback)

    def enroll_voice(self) -> int:
        return self._wait(self._session.enroll_voice)

    def set_voiceprint(self, voiceprint: bytes) -> int:
        return self._wait(lambda: self._session.set_voiceprint(voiceprint))

    def decide_gesture(self, gesture_id: str, accept: bool) -> int:
        return self._wait(lambda: self._session.decide_gesture(gesture_id, accept))

    def decide_injection(self, client: str, grant: bool, *, remember: bool = False) -> int:
        return self._wait(lambda: self._session.decide_injection(client, grant, remember=remember))

    def report_playback(
        self, first_sample: int, time: float, *, silence_samples: int = 0, skipped_samples: int = 0,
        rate_ppm: float = 0.0,
    ) -> None:
        self._call(lambda: self._session.report_playback(
            first_sample, time, silence_samples=silence_samples, skipped_samples=skipped_samples, rate_ppm=rate_ppm))

    def report_route(
        self, current: AudioRoute | None, *, reason: RouteChangeReason = RouteChangeReason.NEW_DEVICE,
        previous: AudioRoute | None = None,
    ) -> None:
        self._call(lambda: self._session.report_route(current, reason=reason, previous=previous))

    def report_head_pose(
        self, *, yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0,
        quaternion: Tuple[float, float, float, float] | None = None, time: float | None = None,
    ) -> None:
        self._call(lambda: self._session.report_head_pose(
            yaw=yaw, pitch=pitch, roll=roll, quaternion=quaternion, time=time))

    def report_interruption(
        self, began: bool, *, reason: InterruptionReason = InterruptionReason.UNSPECIFIED, should_resume: bool = False
    ) -> None:
        self._call(lambda: self._session.report_interruption(began, reason=reason, should_resume=should_resume))


class Sessions(_Blocking):
    """Does what `anechoic.Sessions` does, and waits."""

    def __init__(self, server: str | Connection, *, client: str = "") -> None:
        super().__init__()
        self._sessions = _sessions.Sessions(server, client=client)

    def __enter__(self) -> Sessions:
        self._enter(self._sessions.__aenter__)
        return self

    def __exit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit(lambda: self._sessions.__aexit__(kind, error, trace))

    def list(self) -> List[_sessions.SessionInfo]:
        return [*self._iterate(self._sessions.list)]

    def get(self, session: str) -> _sessions.SessionInfo:
        return self._wait(lambda: self._sessions.get(session))

    def watch(
        self, session: str, *, from_event: int | None = None, statistics_interval: float = 0.0
    ) -> Iterator[_sessions.Watched]:
        return self._iterate(lambda: self._sessions.watch(
            session, from_event=from_event, statistics_interval=statistics_interval))

    def mute(
        self, session: str, *, if_generation: int | None = None, at_sample: int | None = None
    ) -> _sessions.ChangedMute:
        return self._wait(lambda: self._sessions.mute(session, if_generation=if_generation, at_sample=at_sample))

    def unmute(
        self, session: str, *, if_generation: int | None = None, at_sample: int | None = None
    ) -> _sessions.ChangedMute:
        return self._wait(lambda: self._sessions.unmute(session, if_generation=if_generation, at_sample=at_sample))

    def configure(
        self, session: str, settings: Settings, *, at_sample: int | None = None
    ) -> _sessions.ChangedSession:
        return self._wait(lambda: self._sessions.configure(session, settings, at_sample=at_sample))

    def gesture(
        self, session: str, *, muted: bool | None = None, gesture_id: str = "", timeout: float = 70.0
    ) -> _sessions.Gesture:
        return self._wait(
            lambda: self._sessions.gesture(session, muted=muted, gesture_id=gesture_id, timeout=timeout))

    def watch_injection(self, session: str = "") -> Iterator[_sessions.InjectionStatus]:
        return self._iterate(lambda: self._sessions.watch_injection(session))

    def injection(self, session: str) -> _sessions.InjectionStatus:
        """Tells whether this client can speak into a session, without asking anybody."""
        return self._wait(lambda: self._sessions.injection(session))

    def ask_to_inject(self, session: str, usage: str) -> InjectionPermission:
        return self._wait(lambda: self._sessions.ask_to_inject(session, usage))

    def say(self, session: str, text: str, *, voice: str = "", only_here: bool = False) -> float:
        """Returns how many seconds were heard."""
        return self._wait(lambda: self._sessions.say(session, text, voice=voice, only_here=only_here)).total_seconds()

    def play(self, session: str, samples: Samples, format: Format, *, only_here: bool = False) -> float:
        """Returns how many seconds were heard."""
        return self._wait(lambda: self._sessions.play(session, samples, format, only_here=only_here)).total_seconds()

    def label(self, session: str, labels: Mapping[str, str]) -> _sessions.SessionInfo:
        return self._wait(lambda: self._sessions.label(session, labels))

    def delete(self, session: str) -> None:
        self._wait(lambda: self._sessions.delete(session))
