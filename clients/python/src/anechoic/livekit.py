"""Echo cancellation and noise suppression for LiveKit Agents.

    voice = AnechoicProcessor("127.0.0.1:50051")
    await session.start(agent, room=room, room_options=RoomOptions(
        audio_input=AudioInputOptions(noise_cancellation=voice, auto_gain_control=False)))
    session.output.audio = AnechoicAudioOutput(voice, next_in_chain=session.output.audio)

With `settings={"turn_detection.enabled": True}`, the server also finds the turns of the person. Start the session
with `turn_handling={"turn_detection": "manual"}`, and then give it turns:

    turns = AnechoicTurns(voice, session)

Or let the session decide, from the voice activity and the ends of turns that the server finds:

    session = AgentSession(
        vad=AnechoicVAD(voice), turn_handling={"turn_detection": AnechoicTurnDetector(voice)}, ...)

Needs `pip install anechoic[livekit]`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import Any

from livekit import rtc
from livekit.agents import AgentSession, llm, vad
from livekit.agents.voice import io

from ._probability import LEAST_VOICE, VoiceProbability
from ._segments import STEP, SegmentOptions, SpeechSegments
from ._turns import ENDS, HeardTurns
from .events import (
    Event, NotSpeech, Restarted, TurnContinued, TurnEnded, TurnInterruption, TurnMayEnd, TurnStarted,
)
from .formats import Format
from .live import LiveFilter, usable_format
from .session import Server, Session

_log = logging.getLogger("anechoic")
_USUAL_RATE = 24000
_LONGEST_WAIT = 1.5
"""The seconds for which a detector of turns waits. The server ends a turn after a pause of 1 s."""
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
        self._has_started = False
        self._is_paused = False
        self.on("playback_started", lambda _: self._start())
        self.on("playback_finished", self._finish)

    async def capture_frame(self, frame: rtc.AudioFrame) -> None:
        self._format = usable_format(frame.sample_rate, frame.num_channels)
        if self._format is not None:
            self._held.append((bytes(frame.data.cast("B")), self._format))
        self._play_held()
        if self.next_in_chain is not None:
            await self.next_in_chain.capture_frame(frame)
        # Counts the frame only now: one that the next output has not taken, because it was cancelled, is never played.
        await super().capture_frame(frame)

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
        self._is_paused = True
        rest = self._live.stop_playing()
        if rest and self._format is not None:
            self._held.appendleft((rest, self._format))
        super().pause()

    def resume(self) -> None:
        # LiveKit also calls this before each speech, whose playback has not started.
        self._is_paused = False
        self._play_held()
        super().resume()

    def _start(self) -> None:
        self._has_started = True
        self._play_held()

    def _play_held(self) -> None:
        while self._held and self._has_started and not self._is_paused:
            data, format = self._held.popleft()
            self._live.play(data, format)

    def _finish(self, event: io.PlaybackFinishedEvent) -> None:
        self._has_started = False
        if event.interrupted:
            self._held.clear()
            self._live.stop_playing()


class AnechoicTurns:
    """Interrupts the agent and commits the turns of the person as the server finds them.

    Backchannels, coughs, keys and a muted person do neither. A mute ends the turn, and so does a server that is gone.
    The session must have the turn detection "manual", so that nothing else decides about turns.
    """

    def __init__(self, processor: AnechoicProcessor, session: AgentSession[Any]) -> None:
        self._session = session
        self._has_turn = False
        HeardTurns(processor.live, self._take)

    def _take(self, event: Event) -> None:
        try:
            if isinstance(event, TurnStarted):
                self._has_turn = True
            elif isinstance(event, TurnInterruption):
                self._session.interrupt()
            elif isinstance(event, NotSpeech) and self._has_turn:
                self._has_turn = False
                self._session.clear_user_turn()
            elif isinstance(event, (TurnEnded, Restarted)) and self._has_turn:
                self._has_turn = False
                self._session.commit_user_turn()
        except RuntimeError as error:  # The agent does not run, or its speech may not be interrupted.
            _log.warning("a turn is ignored: %s", error)


class _Named:
    """The names of a detector in metrics."""

    @property
    def model(self) -> str:
        """The name of the model in metrics."""
        return "anechoic"

    @property
    def provider(self) -> str:
        """The name of the provider in metrics."""
        return "anechoic"


class AnechoicVAD(_Named, vad.VAD):
    """Voice activity as the server has found it, in which the agent's echo does not count.

    It judges the frames that the processor returns, in which a muted person has no voice. While there is no session,
    loud audio counts as voice. One stream at a time may use a processor.
    """

    def __init__(
        self, processor: AnechoicProcessor, *, min_speech_duration: float = 0.05, min_silence_duration: float = 0.25,
        prefix_padding_duration: float = 0.5, max_buffered_speech: float = 60.0,
        activation_threshold: float = LEAST_VOICE,
    ) -> None:
        """Times are in seconds. `activation_threshold` is the probability of a voice, and 0.5 the server's own decision."""
        super().__init__(capabilities=vad.VADCapabilities(update_interval=STEP))
        self.live = processor.live
        self._options = SegmentOptions(
            min_speech_duration, min_silence_duration, prefix_padding_duration, max_buffered_speech,
            activation_threshold)

    @property
    def min_silence_duration(self) -> float:
        """The seconds of silence that end speech."""
        return self._options.least_silence

    def stream(self) -> vad.VADStream:
        """Returns a stream of events."""
        return _VADStream(self, self._options)


class _VADStream(vad.VADStream):
    def __init__(self, parent: AnechoicVAD, options: SegmentOptions) -> None:
        self._options = options
        self._probability = VoiceProbability(parent.live)
        self._speech: SpeechSegments | None = None
        self._rate = 0
        self._rest = b""
        self._steps = 0
        super().__init__(parent)

    async def _main_task(self) -> None:
        async for frame in self._input_ch:
            if isinstance(frame, self._FlushSentinel):
                self._speech = None
            else:
                self._take(frame)

    def _take(self, frame: rtc.AudioFrame) -> None:
        if self._speech is None or frame.sample_rate != self._rate:
            self._speech = SpeechSegments(self._options, 2 * frame.sample_rate)
            self._rate, self._rest, self._steps = frame.sample_rate, b"", 0
        self._rest += _mono(frame)
        size = 2 * (self._rate // 100)
        count = len(self._rest) // size
        self._probability.expect(count)
        for start in range(0, count * size, size):
            self._judge(self._rest[start : start + size])
        self._rest = self._rest[count * size :]

    def _judge(self, step: bytes) -> None:
        assert self._speech is not None
        probability = self._probability.next(step)
        change = self._speech.add(step, probability)
        self._steps += 1
        self._send(vad.VADEventType.INFERENCE_DONE, step, probability)
        if change is not None:
            kind = vad.VADEventType.START_OF_SPEECH if change == "start" else vad.VADEventType.END_OF_SPEECH
            self._send(kind, bytes(self._speech.segment), probability)

    def _send(self, kind: vad.VADEventType, audio: bytes, probability: float) -> None:
        speech = self._speech
        assert speech is not None
        self._event_ch.send_nowait(vad.VADEvent(
            kind, self._steps * (self._rate // 100), self._steps * STEP, speech.speech, speech.silence,
            [rtc.AudioFrame(audio, self._rate, 1, len(audio) // 2)], probability=probability,
            speaking=speech.is_speaking, raw_accumulated_silence=speech.steady_silence,
            raw_accumulated_speech=speech.steady_speech,
        ))


def _mono(frame: rtc.AudioFrame) -> bytes:
    """Returns the first channel of a frame."""
    samples = memoryview(frame.data)
    return bytes(samples.cast("B")) if frame.num_channels == 1 else samples[:: frame.num_channels].tobytes()


class AnechoicTurnDetector(_Named):
    """The end of a turn as the server has found it, for `turn_detection` of an `AgentSession`.

    The session asks when the voice pauses, and waits here until the server decides, for 1.5 s at most.
    """

    def __init__(self, processor: AnechoicProcessor) -> None:
        self._live = processor.live
        self._probability = 1.0
        self._open_in: Session | None = None
        """The session in which a turn is open. A turn does not outlast its session."""
        self._has_ended = asyncio.Event()
        HeardTurns(processor.live, self._take)

    async def unlikely_threshold(self, language: Any) -> float:
        """Returns the probability below which the session waits longer."""
        return LEAST_VOICE

    async def supports_language(self, language: Any) -> bool:
        """Returns whether a language is supported: all are, because words do not count."""
        return True

    async def predict_end_of_turn(self, chat_ctx: llm.ChatContext, *, timeout: float | None = None) -> float:
        """Returns the probability that the turn has ended: 1 once the server has ended it, and without a session."""
        if self._has_turn:
            try:
                wait = _LONGEST_WAIT if timeout is None else min(timeout, _LONGEST_WAIT)
                await asyncio.wait_for(self._has_ended.wait(), wait)
            except asyncio.TimeoutError:
                return self._probability if self._has_turn else 1.0
        return 1.0

    @property
    def _has_turn(self) -> bool:
        return self._open_in is not None and self._open_in is self._live.session

    def _take(self, event: Event) -> None:
        if isinstance(event, (TurnStarted, TurnContinued)):
            self._probability = 0.0
            self._open_in = self._live.session
            self._has_ended.clear()
        elif isinstance(event, TurnMayEnd):
            self._probability = event.probability
        elif isinstance(event, ENDS):
            self._open_in = None
            self._has_ended.set()
