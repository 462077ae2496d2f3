"""Echo cancellation and noise suppression for LiveKit Agents.

    voice = AnechoicProcessor("127.0.0.1:50051")
    await session.start(agent, room=room, room_options=RoomOptions(
        audio_input=AudioInputOptions(noise_cancellation=voice, auto_gain_control=False)))
    session.output.audio = AnechoicAudioOutput(voice, next_in_chain=session.output.audio)

With `settings={"turn_detection.enabled": True}`, the server also finds the turns of the person. Start the session
with `turn_handling={"turn_detection": "manual"}`, and then give it turns:

    turns = AnechoicTurns(voice, session)

Needs `pip install anechoic[livekit]`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession
from livekit.agents.voice import io

from .events import Event, NotSpeech, TurnEnded, TurnInterruption, TurnStarted
from .formats import Format
from .live import LiveFilter, usable_format
from .session import Server

_log = logging.getLogger("anechoic")
_USUAL_RATE = 24000
_MOST_HELD = 3000
"""The frames that are held until playback starts. LiveKit's have 10 to 100 ms."""


class AnechoicProcessor(rtc.FrameProcessor[rtc.AudioFrame]):
    """A frame processor. Each frame has as many samples as before, of the voice some 100 ms earlier.

    Without a server, raw audio passes, or silence if `on_loss="silence"`.
    """

    def __init__(self, server: Server = "127.0.0.1:50051", **options: Any) -> None:
        """`options` are those of `anechoic.LiveFilter` and `anechoic.Session`."""
        self.live = LiveFilter(server, **options)
        self._closing: asyncio.Task[None] | None = None

    @property
    def enabled(self) -> bool:
        """Whether audio is processed. Raw audio passes otherwise, at the same delay."""
        return self.live.is_enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        self.live.is_enabled = value

    def _process(self, frame: rtc.AudioFrame) -> rtc.AudioFrame:
        format = usable_format(frame.sample_rate, frame.num_channels)
        if format is None:
            return frame
        data = self.live.exchange(bytes(frame.data.cast("B")), format)
        return rtc.AudioFrame(
            data, frame.sample_rate, frame.num_channels, frame.samples_per_channel, userdata=frame.userdata
        )

    def _close(self) -> None:
        # A closed processor may be used again: LiveKit closes it with each track.
        self._closing = asyncio.get_running_loop().create_task(self.live.close())

    async def aclose(self) -> None:
        """Ends the session and waits for its end."""
        await self.live.close()


class AnechoicAudioOutput(io.AudioOutput):
    """An audio output that passes everything on, and takes what is played as the echo reference.

    Frames come ahead of the playback. They are held until the playback starts, and taken back when it
    pauses or is interrupted.
    """

    def __init__(self, processor: AnechoicProcessor, *, next_in_chain: io.AudioOutput) -> None:
        super().__init__(
            label="Anechoic", capabilities=io.AudioOutputCapabilities(pause=True), next_in_chain=next_in_chain,
            sample_rate=next_in_chain.sample_rate,
        )
        self._live = processor.live
        if (format := usable_format(next_in_chain.sample_rate or _USUAL_RATE)) is not None:
            self._live.announce_reference(format)
        self._held: deque[tuple[bytes, Format]] = deque(maxlen=_MOST_HELD)
        self._format: Format | None = None
        self._is_playing = False
        self.on("playback_started", lambda _: self._start())
        self.on("playback_finished", self._finish)

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        await super().capture_frame(frame)
        self._format = usable_format(frame.sample_rate, frame.num_channels)
        if self._format is not None:
            self._held.append((bytes(frame.data.cast("B")), self._format))
        if self._is_playing:
            self._start()
        if self.next_in_chain is not None:
            await self.next_in_chain.capture_frame(frame)

    def flush(self) -> None:
        super().flush()
        if self.next_in_chain is not None:
            self.next_in_chain.flush()

    def clear_buffer(self) -> None:
        self._held.clear()
        self._live.stop_playing()
        if self.next_in_chain is not None:
            self.next_in_chain.clear_buffer()

    def pause(self) -> None:
        self._is_playing = False
        rest = self._live.stop_playing()
        if rest and self._format is not None:
            self._held.appendleft((rest, self._format))
        super().pause()

    def resume(self) -> None:
        self._start()
        super().resume()

    def _start(self) -> None:
        self._is_playing = True
        while self._held:
            data, format = self._held.popleft()
            self._live.play(data, format)

    def _finish(self, event: io.PlaybackFinishedEvent) -> None:
        self._is_playing = False
        if event.interrupted:
            self._held.clear()
            self._live.stop_playing()


class AnechoicTurns:
    """Interrupts the agent and commits the turns of the person as the server finds them.

    Backchannels, coughs and keys do neither. The session must have the turn detection "manual", so that nothing else
    decides about turns.
    """

    def __init__(self, processor: AnechoicProcessor, session: AgentSession[Any]) -> None:
        self._session = session
        self._has_turn = False
        processor.live.listen(self._take)

    def _take(self, event: Event) -> None:
        try:
            if isinstance(event, TurnStarted):
                self._has_turn = True
            elif isinstance(event, TurnInterruption):
                self._session.interrupt()
            elif isinstance(event, NotSpeech) and self._has_turn:
                self._has_turn = False
                self._session.clear_user_turn()
            elif isinstance(event, TurnEnded) and self._has_turn:
                self._has_turn = False
                self._session.commit_user_turn()
        except RuntimeError as error:  # The agent does not run, or its speech may not be interrupted.
            _log.warning("a turn is ignored: %s", error)
