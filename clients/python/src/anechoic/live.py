"""A session in the background, for programs that exchange audio frame by frame and cannot wait."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections import deque
from contextlib import AsyncExitStack
from dataclasses import replace
from math import ceil, inf
from time import monotonic
from typing import Any, Callable, Literal

from ._alignment import AlignedVoice
from ._checks import check_callable, check_number
from ._reconnection import UNSTEADY_SECONDS, Reconnect, Retries
from ._start import checked_format, voiceprint_message
from ._starts import ECHO_PATH, ENROLLMENT, VOICEPRINT, is_refused
from ._state import State
from ._stops import Stops
from .errors import AnechoicError, FormatError, InvalidRequest, Refused, ServerUnavailable, SessionEnded
from .events import Event, NotSpeech, Reconnecting, Restarted, Resumed, TurnEnded, TurnStarted
from .formats import Format
from .session import Server, Session
from .settings import Settings

_LONGEST_DELAY = 1.0
_PROCESSING_SECONDS = 0.01
"""The delay of raw audio and of voice for the processing. It grows for a session that needs more, and never shrinks."""
_MOST_RISEN_DELAY = 0.3
"""The delay up to which it becomes longer by itself."""
_LATE_SECONDS = 3
"""The seconds of the last ten in which voice has to be late before the delay becomes longer."""
_MOST_EARLY_SECONDS = 60
_SECONDS_BETWEEN_REPORTS = 10.0
_OPTIONS = (
    "client", "muted", "session_id", "labels", "engine", "chunk", "statistics_interval", "resume_window", "playback",
    "playback_elsewhere", "echo_path", "learn_echo_path", "voiceprint", "enroll_voice", "on_injection_permission",
    "on_mute_gesture",
)
"""The options of `Session` that a filter can have."""
_MOST_TOLD = 100
_log = logging.getLogger("anechoic")


@functools.lru_cache(maxsize=64)
def usable_format(rate: int, channels: int = 1) -> Format | None:
    """Returns a format, or None, with a line in the log, if no session can have it: audio then passes unchanged."""
    try:
        return Format(rate, channels)
    except FormatError as error:
        _log.error("%s; audio passes unchanged", error)
        return None


class LiveFilter:
    """Takes frames of the microphone and returns as many samples of the voice, at a constant delay.

    The session starts with the first frame, and again whenever it ends: this is tried for ever. While there is none,
    the raw audio passes, or silence. A voice that somebody has muted stays silent, with and without a session, and
    each new session begins with the mute state, the settings and the permissions of the one before. Nothing here
    waits. Use it in one event loop; `mute`, `unmute` and `is_muted` are for any thread.
    """

    def __init__(
        self, server: Server, *, on_loss: Literal["raw", "silence"] = "raw", settings: Settings | None = None,
        reconnect: Reconnect = Reconnect(), output: Literal["processed", "recognizer"] = "processed",
        delay: float = 0.05, **options: Any,
    ) -> None:
        """`output` is the output that is returned: for people, or for a recognizer of speech. `delay` is the time, in s, that the voice has for the way to the server and back, 0.05 to 1: a voice that needs longer is dropped. If voice is late in 3 of 10 s, the delay becomes as much longer as is needed in the next pause, up to 0.3. `options` are those of `Session`, but for formats: `exchange` and `play` have them.

        `reconnect.longest_outage` has no effect here. Throws `TypeError` for an option that does not exist, and
        `InvalidRequest`, which is a `ValueError`, for a value that cannot be used.
        """
        if not isinstance(on_loss, str) or on_loss not in ("raw", "silence"):
            raise FormatError(f"on_loss: {on_loss!r} is not supported; use 'raw' or 'silence'", field="on_loss")
        if not isinstance(output, str) or output not in ("processed", "recognizer"):
            message = f"output: {output!r} is not supported; use 'processed' or 'recognizer'"
            raise InvalidRequest(message, field="output")
        check_number("delay", delay, 0.05, _LONGEST_DELAY, " s")
        for name in options:
            if name not in _OPTIONS:
                raise TypeError(f"LiveFilter has no option {name!r}; use {', '.join(_OPTIONS)}")
        # Throws for a value that no session accepts, before there is one.
        Session(server, microphone=Format(16000), settings=settings, reconnect=reconnect, **options)
        self.is_enabled = True
        """Whether the voice is processed. Otherwise raw audio passes, also with `on_loss="silence"`, unless muted."""
        self._state = State(bool(options.pop("muted", False)))
        self._echo_path = bytes(options.pop("echo_path", b""))
        if voiceprint := options.pop("voiceprint", b""):
            self._state.voice_is(voiceprint_message(voiceprint))
        self._state.enrolls(bool(options.pop("enroll_voice", False)))
        self._server, self._on_loss, self._settings, self._options = server, on_loss, settings or {}, options
        self._is_for_recognizer = output == "recognizer"
        self._delay = float(delay)
        self._policy = replace(reconnect, longest_outage=inf)
        self._microphone: Format | None = None
        self._reference: Format | None = None
        self._voice: AlignedVoice | None = None
        self._session: Session | None = None
        self._base = 0
        self._shift = 0
        self._early = bytearray()
        """The reference that waits for a session."""
        self._early_from = 0
        """The sample of the reference, counted from the first frame of the microphone, with which it begins."""
        self._stops = Stops()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._ending: set[asyncio.Task[None]] = set()
        self._began = inf
        self._exchanged_at: float | None = None
        self._told: set[str] = set()
        self._listeners: list[Callable[[Event], None]] = []
        self._has_turn = False
        self._late_told_at = -inf
        self._lateness: deque[tuple[float, float]] = deque()

    @property
    def session(self) -> Session | None:
        """The session that runs, or waits for its connection: see `Session.is_connected`. None while there is none."""
        return self._session

    @property
    def echo_path(self) -> bytes:
        """The echo path that was learnt last, also in a session before, for `LiveFilter(echo_path=…)` on the same device.

        Before the first one, or without `learn_echo_path`, the one that the filter was given.
        """
        if self._session is not None:
            self._keep_echo_path(self._session)
        return self._echo_path

    @property
    def voiceprint(self) -> bytes:
        """The voice that the mic mode VOICE_ISOLATION keeps, given or learnt, for `LiveFilter(voiceprint=…)`.

        Empty: the nearest one. A voiceprint identifies a person: keep it as such.
        """
        return self._state.voiceprint

    @property
    def is_muted(self) -> bool:
        """Whether the microphone is muted, whoever muted it, with and without a session."""
        return self._state.is_muted

    def mute(self) -> None:
        """Mutes at once, also while there is no session. Does not wait. Any thread may call it."""
        self._set_mute(True)

    def unmute(self) -> None:
        """Unmutes as soon as the session agrees, or starts. Does not wait. Any thread may call it."""
        self._set_mute(False)

    @property
    def replaced_samples(self) -> int:
        """The samples since the last change of the format for which raw audio or silence passed."""
        return self._voice.replaced_samples if self._voice is not None else 0

    @property
    def voice(self) -> AlignedVoice | None:
        """The voice that is exchanged. None before the first frame."""
        return self._voice

    def exchange(self, raw: bytes | bytearray | memoryview, format: Format) -> bytes:
        """Takes a frame, whose format may change at any time, and returns as many samples."""
        raw = _bytes(raw, format)
        loop = _running_loop()
        if loop is None:
            raise InvalidRequest("exchange: no event loop runs here; call it in a coroutine or callback")
        self._loop = loop
        self._forget_heard(self._stops.came(monotonic(), len(raw) / format.frame_bytes / format.rate))
        if format != self._microphone:
            self._begin(raw, format)
        assert self._voice is not None
        if self._task is None:
            self._task = loop.create_task(self._run())
        session = self._session
        if session is not None:
            try:
                session.feed_nowait(raw)
            except AnechoicError:
                self._session = None  # The task says why, and starts another one.
        self._exchanged_at = loop.time()
        self._take_output()
        self._voice.is_muted, self._voice.is_muting = self._state.is_muted, self._state.is_muting
        return self._voice.exchange(raw, self.is_enabled)

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Calls `listener` with each event of this session and of those that follow, as soon as it comes. It must not
        wait. An exception of it is logged.

        A turn does not outlast its session: `Restarted` follows a session that ends while the person has the turn, also by
        `close`.
        """
        check_callable("listener", listener)
        self._listeners.append(listener)

    def announce_reference(self, format: Format) -> None:
        """Announces the format of `play`. Another format starts the session anew."""
        checked_format(format, "format")
        if format != self._reference:
            self._reference = format
            self._early.clear()
            self._restart()

    def play(self, data: bytes | bytearray | memoryview, format: Format) -> None:
        """Takes what the loudspeaker plays now, or after what it still plays.

        Audio that is heard while no frame comes for more than 1 s, or while there is no session, is left out.
        """
        data = _bytes(data, format)
        self.announce_reference(format)
        if self._session is not None:
            self._place(data)
        elif self._voice is not None:
            self._forget_heard(self._stops.passed(monotonic()))
            if len(self._early) + len(data) <= _MOST_EARLY_SECONDS * format.rate * format.frame_bytes:
                self._early += data

    def stop_playing(self) -> bytes:
        """Takes back what was not played yet, and returns it."""
        if self._session is not None and self._reference is not None:
            return self._session.drop_reference()
        self._forget_heard(self._stops.passed(monotonic()))
        early = bytes(self._early)
        self._early.clear()
        return early

    async def close(self) -> None:
        """Ends the session."""
        self._restart()
        if self._ending:
            await asyncio.wait(self._ending)

    def _set_mute(self, muted: bool) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed() and loop is not _running_loop():
            try:
                loop.call_soon_threadsafe(self._set_mute, muted)
                return
            except RuntimeError:
                pass  # The loop has just closed.
        if self._session is not None:
            try:
                self._session._link.set_mute(muted, insists=True)
                return
            except AnechoicError:
                pass  # It has ended: the next one begins so.
        self._state.want_mute(muted)

    def _place(self, data: bytes) -> None:
        assert self._session is not None
        try:
            self._session.place_reference(data)
        except Refused as error:
            _log.warning("%s; it is dropped", error)

    def _place_early(self) -> None:
        """Places what began to play before the session, without what has been heard since."""
        self._forget_heard(self._stops.passed(monotonic()))
        if self._early:
            self._place(bytes(self._early))
        self._early.clear()

    def _forget_heard(self, stopped: float) -> None:
        """Forgets what was heard of the early reference. The microphone had stopped for some seconds of this time.

        Less than 0 s is a part of a stop that has come since.
        """
        if self._reference is None or self._microphone is None or self._voice is None:
            return
        now = self._voice.position * self._reference.rate // self._microphone.rate
        heard = now - self._early_from + round(stopped * self._reference.rate)
        size = self._reference.frame_bytes
        del self._early[: max(0, min(heard, len(self._early) // size)) * size]
        self._early_from = now - min(0, heard)

    def _begin(self, raw: bytes, format: Format) -> None:
        count = len(raw) // format.frame_bytes
        delay = count + round(self._delay * format.rate)
        self._microphone = format
        self._voice = AlignedVoice(
            format.frame_bytes, format.rate, delay, self._on_loss == "raw", has_floats=format.encoding == "f32")
        self._early_from = 0
        self._voice.lag_samples = round(_PROCESSING_SECONDS * format.rate)
        self._restart()

    def _restart(self) -> None:
        """Ends the session. The next frame starts another one."""
        self._session = None
        if self._task is not None:
            self._task.cancel()
            self._ending.add(self._task)
            self._task.add_done_callback(self._ending.discard)
            self._task = None

    def _keep_echo_path(self, session: Session) -> None:
        self._echo_path = session.echo_path or self._echo_path

    def _take_output(self) -> None:
        """Moves what has arrived."""
        if self._session is None or self._voice is None:
            return
        while (output := self._session.read_nowait()) is not None:
            if output.recognizer is not None:
                output = replace(output, samples=output.recognizer)
            self._voice.add(output, self._base + self._shift)
        if self._voice.most_late_samples:
            self._follow_late(self._voice, asyncio.get_running_loop().time())

    def _follow_late(self, voice: AlignedVoice, now: float) -> None:
        """Follows voice that is late: says so, and makes the delay longer if it happens again and again."""
        assert self._microphone is not None
        late, voice.most_late_samples = voice.most_late_samples / self._microphone.rate, 0
        if voice.is_rising:
            return
        seconds = self._lateness
        while seconds and now - seconds[0][0] > _SECONDS_BETWEEN_REPORTS:
            seconds.popleft()
        if seconds and now - seconds[-1][0] < 1:
            seconds[-1] = seconds[-1][0], max(seconds[-1][1], late)
        else:
            seconds.append((now, late))
        often = sorted((most for _, most in seconds), reverse=True)[_LATE_SECONDS - 1 :]
        wanted = ceil((self._delay + often[0]) * 100) / 100 if often else 0
        if self._delay < wanted <= _MOST_RISEN_DELAY:
            voice.raise_delay(round((wanted - self._delay) * self._microphone.rate))
            self._delay = wanted
            _log.warning(
                "the voice arrived up to %.0f ms late again and again; the delay is %g s from here on",
                1000 * often[0], self._delay)
            seconds.clear()
        elif now - self._late_told_at >= _SECONDS_BETWEEN_REPORTS:
            needed = ceil((self._delay + late) * 100) / 100
            advice = f"; a delay of {needed:g} s keeps them" if needed <= _LONGEST_DELAY else ""
            _log.warning(
                "the voice arrived up to %.0f ms late; %d samples so far are dropped%s", 1000 * late,
                voice.late_samples, advice)
            self._late_told_at = now

    async def _run(self) -> None:
        """Runs sessions until it is cancelled. The one before has to end first, so that its id is free."""
        if self._ending:
            await asyncio.wait(self._ending)
        now = asyncio.get_running_loop().time
        retries = Retries(self._policy, now())
        while True:
            self._began = inf
            try:
                await self._serve()
                error: AnechoicError = SessionEnded("the session has ended")
            except AnechoicError as failure:
                error = failure
            except Exception as failure:
                _log.exception("the session has failed")
                error = AnechoicError(f"the session has failed: {failure}")
            if now() - self._began >= UNSTEADY_SECONDS:
                retries = Retries(self._policy, now())
            if self._task is not asyncio.current_task():
                return  # Another task runs the next session.
            if self._gives_up(error):
                await asyncio.sleep(retries.delay(now()))
                continue
            self._tell_loss(error)
            await asyncio.sleep(retries.delay(now(), error))

    def _gives_up(self, error: AnechoicError) -> bool:
        """Gives up what a session can do without, if it was refused for that. Returns false if it was not."""
        if self._echo_path and is_refused(ECHO_PATH, error):
            self._echo_path, refused = b"", "the echo path"
        elif self._state.voiceprint and is_refused(VOICEPRINT, error):
            self._state.forget_voiceprint()
            refused = "the voiceprint"
        elif self._state.is_enrolling and is_refused(ENROLLMENT, error):
            self._state.enrolls(False)
            refused = "the enrollment of a voice"
        else:
            return False
        _log.warning("%s; the next session begins without %s", error, refused)
        return True

    def _tell_loss(self, error: Exception) -> None:
        """Says why there is no session, once for each problem until one runs."""
        problem = _problem(error)
        if problem not in self._told and len(self._told) < _MOST_TOLD:
            passed = "raw audio passes" if self._on_loss == "raw" else "silence passes"
            _log.error("%s; %s until a session runs", error, passed)
            self._told.add(problem)

    def _end_turn(self) -> None:
        """Tells the listeners that the session in which the person has the turn is gone."""
        if self._has_turn and self._voice is not None:
            error = SessionEnded("the session has ended")
            self._tell(Restarted(id=0, sample=self._voice.position, error=error))

    def _tell(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            self._has_turn = True
        elif isinstance(event, (TurnEnded, NotSpeech, Restarted)):
            self._has_turn = False
        for listener in self._listeners:
            try:
                listener(event)
            except Exception:
                _log.exception("a listener has failed")

    def _note(self, event: Event) -> None:
        self._tell(event)
        if isinstance(event, Reconnecting):
            self._tell_loss(event.error)
        elif isinstance(event, (Resumed, Restarted)):
            self._told.clear()

    async def _serve(self) -> None:
        """Runs one session to its end."""
        assert self._microphone is not None and self._voice is not None
        session = Session(
            self._server, microphone=self._microphone, reference=self._reference, settings=self._settings,
            recognizer=self._microphone if self._is_for_recognizer else None,
            intermittent_reference=self._reference is not None, echo_path=self._echo_path,
            voiceprint=self._state.voiceprint, enroll_voice=self._state.is_enrolling, reconnect=self._policy,
            _state=self._state, **self._options,
        )
        await session._open(once=True)
        async with AsyncExitStack() as stack:
            # A session tells what it has learnt at its end, too.
            stack.callback(self._keep_echo_path, session)
            stack.push_async_exit(session)
            if self._task is not asyncio.current_task():
                return
            self._base, self._session = self._voice.position, session
            session._link.owe(self._exchanged_at)
            needed = round(session.delay * self._microphone.rate)
            self._voice.lag_samples = max(self._voice.lag_samples, needed)
            self._shift = self._voice.lag_samples - needed
            self._told.clear()
            self._began = asyncio.get_running_loop().time()
            self._place_early()
            try:
                async for event in session.events():
                    self._note(event)
            finally:
                self._end_turn()
                if self._session is session:  # Another task may have started the next one already.
                    self._session = None


def _running_loop() -> asyncio.AbstractEventLoop | None:
    """Returns the loop of this thread. None if no loop runs here."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _problem(error: Exception) -> str:
    """Returns the part of an error by which it is recognized. libgrpc describes each lost connection in other words.

    >>> _problem(ServerUnavailable("127.0.0.1:1: got frame type 132", status="UNAVAILABLE"))
    '127.0.0.1:1'
    """
    is_absent = isinstance(error, ServerUnavailable) and not error.reason
    return str(error).partition(": ")[0] if is_absent else str(error)


def _bytes(data: object, format: Format) -> bytes:
    """Returns bytes of a format. Throws `InvalidRequest` for what is neither bytes nor a format."""
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise InvalidRequest(
            f"data: {type(data).__name__} is not supported; use bytes of the format", field="data")
    return bytes(checked_format(format, "format").to_bytes(data, "data"))
