"""A session: audio in, processed audio and events out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import AsyncIterator, Mapping, Type, Union

from ._checks import check_flag, check_function, check_mapping
from ._decisions import Decisions, GestureCallback, PermissionCallback
from ._devices import DeviceReports
from ._facts import Facts
from ._feeding import Feeder, slices
from ._link import Link
from ._output import Output
from ._reconnection import Reconnect
from ._requests import Requests
from ._start import Plan
from ._state import State
from ._within import within
from .connection import Connection, connection_to
from .errors import AnechoicError, FormatError, InvalidRequest, Refused
from .events import Event, MicrophonePair
from .formats import Audio, Format, Samples
from .settings import Settings
from .spatial import named

Server = Union[str, Connection, Sequence[Union[str, Connection]]]
_CLOSE_SECONDS = 5.0
_LONGEST_PLACED_SECONDS = 60.0


class Session(Requests, DeviceReports, Facts):
    """A session on a server. Use it with `async with`, in one event loop.

    Feed the microphone and what the loudspeaker plays; read the voice without echo and noise. Reading and
    feeding go on at the same time, in two tasks. Everything that waits is bounded: in real time, output
    that nobody reads for 10 s is dropped; with `real_time=False`, `feed` waits instead.

    A session survives the loss of its connection, with its echo path, mute state and events.
    """

    def __init__(
        self,
        server: Server,
        *,
        client: str = "",
        microphone: Format,
        reference: Format | None = None,
        far_end: Format | None = None,
        other_audio: Format | None = None,
        far_ends: Mapping[str, Format] | None = None,
        processed: Format | None = None,
        playback: Format | None = None,
        recognizer: Format | None = None,
        raw: Format | None = None,
        playback_elsewhere: bool = False,
        real_time: bool = True,
        settings: Settings | None = None,
        muted: bool = False,
        session_id: str = "",
        labels: Mapping[str, str] | None = None,
        engine: str = "",
        chunk: float = 0.02,
        statistics_interval: float = 1.0,
        resume_window: float | None = None,
        intermittent_reference: bool = False,
        microphone_pair: MicrophonePair | None = None,
        echo_path: bytes = b"",
        learn_echo_path: bool = False,
        voiceprint: bytes = b"",
        enroll_voice: bool = False,
        reconnect: Reconnect = Reconnect(),
        on_injection_permission: PermissionCallback | None = None,
        on_mute_gesture: GestureCallback | None = None,
        _state: State | None = None,
    ) -> None:
        """Describes a session. It starts with `async with` or `open`.

        - server: An address, a `Connection`, or several of them: the next ones take over if one is gone.
        - client: The name of this client, which others see, unless a `Connection` has one.
        - microphone, reference, far_end, other_audio: The formats of the inputs. The reference is what the
          loudspeaker plays.
        - far_ends: Up to 16 more far ends by their names, for spatial audio. They need a playback.
        - processed, playback: The formats of the outputs. `processed` has the microphone's unless given.
        - recognizer, raw: The formats of further outputs of the microphone: for a recognizer of speech, and as it was
          captured, for a recording. They come in `Output`, and are silent while the session is muted.
        - playback_elsewhere: Whether another device plays the playback: `anechoic.Playback` with `join_token`.
        - real_time: False for recordings: as fast as possible, and nothing is ever dropped.
        - settings: See `anechoic.settings.Settings`.
        - chunk: The seconds of audio in a message, 0.01 to 0.12. Fewer messages cost less processor time.
        - statistics_interval: The seconds between statistics. 0: none.
        - resume_window: The seconds for which the session waits for a lost client. None: as the server likes.
        - intermittent_reference: Whether pauses of the reference are silence: see `place_reference`.
        - microphone_pair: The arrangement of the two microphones of a microphone with two channels, which then hear
          in a direction. `report_route` changes it.
        - echo_path: The `echo_path` of an earlier session on the same device, with which the echo canceller begins.
        - learn_echo_path: Whether the session tells the echo path that it learns.
        - voiceprint: The voice that the mic mode VOICE_ISOLATION keeps: the `voiceprint` of an earlier session. Without
          it, the mode keeps the nearest voice.
        - enroll_voice: Whether the session learns the voice at the microphone from its beginning, like the method
          `enroll_voice`.
        - on_injection_permission: Decides whether a client may inject speech. Without it, nobody is answered.
        - on_mute_gesture: Decides whether a mute gesture is applied. Asks for gestures to be decided.

        Throws `InvalidRequest`, which is a `ValueError`, for a value that no server accepts.
        """
        servers = [server] if isinstance(server, (str, Connection)) or not isinstance(server, Sequence) else server
        if not servers:
            raise InvalidRequest("server: give at least one address", field="server")
        if not isinstance(reconnect, Reconnect):
            raise InvalidRequest(f"reconnect: {reconnect!r} is not a Reconnect; use Reconnect(…)", field="reconnect")
        check_function("on_injection_permission", on_injection_permission)
        check_function("on_mute_gesture", on_mute_gesture)
        check_flag("muted", muted)
        self._connections = [connection_to(each, client) for each in servers]
        self._own = [each for each, given in zip(self._connections, servers) if each is not given]
        self._decisions = Decisions(self, on_injection_permission, on_mute_gesture)
        others = {"reference": reference, "far_end": far_end, "other_audio": other_audio}
        given = {name: format for name, format in others.items() if format is not None}
        self._plan = Plan(
            inputs={"microphone": microphone, **given, **named(far_ends)},
            processed=microphone if processed is None else processed, playback=playback, recognizer=recognizer, raw=raw,
            is_playback_elsewhere=playback_elsewhere, is_real_time=real_time,
            settings={**self._decisions.settings(), **check_mapping("settings", settings)}, session_id=session_id,
            labels={} if labels is None else labels, engine=engine, chunk=chunk,
            statistics_interval=statistics_interval, resume_window=resume_window,
            has_intermittent_reference=intermittent_reference, microphone_pair=microphone_pair,
            echo_path=echo_path, learns_echo_path=learn_echo_path,
            voiceprint=voiceprint, enrolls_voice=enroll_voice,
        )
        self._state = State(bool(muted)) if _state is None else _state
        self._link = Link(self._connections, self._plan, reconnect, self._decisions.handle, self._state)
        self._feeder = Feeder(self._link, self._plan)

    # The life of a session.

    async def open(self) -> None:
        """Starts the session. Throws an `AnechoicError` if the server is absent or refuses it."""
        await self._open()

    async def _open(self, once: bool = False) -> None:
        self._link.check_not_opened()  # Another call has the connections.
        try:
            await self._link.open(once)
        except BaseException:
            await self._close_connections()
            raise

    async def finish(self) -> None:
        """Ends the input. The rest of the output can still be read. The session then ends."""
        self._link.finish()

    async def close(self) -> None:
        """Ends the session, at the latest after 5 s. Output that was not read is lost."""
        try:
            if self._link.was_opened:
                self._link.finish()
                await within(_CLOSE_SECONDS, self._drained())
        except (asyncio.TimeoutError, AnechoicError):
            pass
        finally:
            self._decisions.cancel()
            await self._link.cancel()
            await self._close_connections()

    async def __aenter__(self) -> Session:
        await self.open()
        return self

    async def __aexit__(
        self, kind: Type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None:
                await self._link.abandon()
        finally:
            await self.close()

    # Audio.

    async def feed(
        self, microphone: Audio = b"", reference: Audio = b"", far_end: Audio = b"", other_audio: Audio = b"", *,
        far_ends: Mapping[str, Audio] | None = None, microphone_time: float | None = None,
        reference_time: float | None = None,
    ) -> None:
        """Feeds audio of any length: arrays, or bytes of the announced formats.

        The times are those of `time.monotonic()` at which the first sample was captured, or was heard.

        Waits while too much audio waits to be sent. In real time, what other inputs have gathered while the microphone
        was not fed for 1 s is left out: it belongs to none of its samples. While a connection in real time is lost, it
        does not wait and the last 2 s are kept. Throws `FormatError` for audio that does not fit, and the error of a
        session that has ended.
        """
        times = {"microphone": microphone_time, "reference": reference_time}
        await self._feeder.feed(
            times, microphone=microphone, reference=reference, far_end=far_end, other_audio=other_audio,
            **named(far_ends),
        )

    def feed_nowait(
        self, microphone: Audio = b"", reference: Audio = b"", far_end: Audio = b"", other_audio: Audio = b"", *,
        far_ends: Mapping[str, Audio] | None = None, microphone_time: float | None = None,
        reference_time: float | None = None,
    ) -> None:
        """Feeds audio in real time without waiting. If more than 2 s wait to be sent, the oldest are dropped."""
        times = {"microphone": microphone_time, "reference": reference_time}
        self._feeder.feed_nowait(
            times, microphone=microphone, reference=reference, far_end=far_end, other_audio=other_audio,
            **named(far_ends),
        )

    def place_reference(self, reference: Audio) -> None:
        """Feeds loudspeaker audio that starts to play now, or follows what still plays. Needs `intermittent_reference`.

        Audio that is ahead of the microphone waits for it: up to 60 s, beyond which it throws `Refused`. Audio that is
        heard while the microphone is not fed for more than 1 s is left out: it belongs to none of its samples.
        """
        if not self._plan.has_intermittent_reference or "reference" not in self._plan.inputs:
            raise FormatError("reference: give Session a reference and intermittent_reference=True", field="reference")
        data = self._plan.inputs["reference"].to_bytes(reference, "reference")
        self._feeder.forget_heard()
        if not self._link.outbox.place_reference(data, _LONGEST_PLACED_SECONDS):
            message = f"reference: more than {_LONGEST_PLACED_SECONDS:g} s wait to be played"
            raise Refused(message, field="reference", reason="TOO_MUCH_AUDIO")

    def drop_reference(self) -> bytes:
        """Forgets the placed reference that has not been played yet, after an interruption. Returns it."""
        self._feeder.forget_heard()
        return self._link.outbox.drop_reference()

    async def read(self, count: int | None = None) -> Samples:
        """Returns the next `count` samples of the voice, or fewer at the end; without a count, what is there.

        An empty array is the end. Use either `read` or the iteration over the session.
        """
        self._link.check_opened()
        return await self._link.inbox.output.read(count)

    def read_nowait(self) -> Output | None:
        """Returns the next output, or None if none has arrived."""
        return self._link.inbox.output.take()

    async def __aiter__(self) -> AsyncIterator[Output]:
        """Yields the output as it arrives, until the session ends."""
        self._link.check_opened()
        while (output := await self._link.inbox.output.next()) is not None:
            yield output

    async def process(self, microphone: Audio, reference: Audio = b"") -> AsyncIterator[Output]:
        """Feeds a whole recording, at its own pace in real time, ends the input and yields the output."""
        feeding = asyncio.create_task(self._feed_all(microphone, reference))
        try:
            async for output in self:
                yield output
            await feeding
        finally:
            feeding.cancel()

    def events(self) -> AsyncIterator[Event]:
        """Yields the events, from the first one that is still kept, until the session ends. 1,000 are kept."""
        self._link.check_opened()
        return self._link.inbox.events.read()

    async def _feed_all(self, microphone: Audio, reference: Audio) -> None:
        try:
            async for pieces in slices(self._plan, microphone, reference):
                await self._feeder.feed({}, **pieces)
        finally:
            self._link.finish()

    async def _drained(self) -> None:
        while await self._link.inbox.output.next() is not None:
            pass
        await self._link.ended()

    async def _close_connections(self) -> None:
        await asyncio.gather(*(connection.close() for connection in self._own))
