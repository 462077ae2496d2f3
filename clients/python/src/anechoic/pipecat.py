"""Echo cancellation, noise suppression and voice detection for Pipecat.

    voice = AnechoicFilter("127.0.0.1:50051")
    params = TransportParams(
        audio_in_enabled=True, audio_in_filter=voice,
        audio_out_enabled=True, audio_out_filter=voice.reference,
    )
    vad_analyzer = AnechoicVADAnalyzer(voice)

With `settings={"turn_detection.enabled": True}`, the server also finds the turns of the person. Give the user
aggregator its decisions:

    strategies = UserTurnStrategies(
        start=[AnechoicInterruptionStrategy(voice)],
        stop=[TurnAnalyzerUserTurnStopStrategy(turn_analyzer=AnechoicTurnAnalyzer(voice))])

Or put `AnechoicTurns(voice)` behind the input of the transport, which also pushes each event as a frame, and give
the user aggregator `ExternalUserTurnStrategies()`.

Needs `pip install anechoic[pipecat]`.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from pipecat.audio.filters.base_audio_filter import BaseAudioFilter
from pipecat.audio.turn.base_turn_analyzer import BaseTurnAnalyzer, BaseTurnParams, EndOfTurnState
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams, VADState
from pipecat.frames.frames import (
    CancelFrame, EndFrame, FilterControlFrame, FilterEnableFrame, Frame, ProposedUserStartedSpeakingFrame,
    ProposedUserStoppedSpeakingFrame, StartFrame, SystemFrame,
)
from pipecat.processors.frame_processor import FrameDirection, FrameProcessor
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_start import BaseUserTurnStartStrategy

from ._probability import LEAST_VOICE, VoiceProbability
from ._turns import ENDS, HeardTurns
from .events import (
    Backchannel, Event, NotSpeech, Restarted, TurnContinued, TurnEnded, TurnInterruption, TurnMayEnd, TurnStarted,
)
from .formats import Format
from .live import LiveFilter, usable_format
from .session import Server

_TURNS = (TurnStarted, TurnMayEnd, TurnContinued, TurnEnded, TurnInterruption, Backchannel, NotSpeech)
_MOST_WAITING = 100


class AnechoicFilter(BaseAudioFilter):
    """The input filter. It returns as many bytes as it gets, some 70 ms later.

    A `FilterEnableFrame` switches it off and on. Without a server, raw audio passes.
    """

    def __init__(self, server: Server = "127.0.0.1:50051", **options: Any) -> None:
        """`options` are those of `anechoic.LiveFilter` and `anechoic.Session`."""
        self.live = LiveFilter(server, **options)
        self.reference = AnechoicReferenceFilter(self.live)
        """The output filter. It changes nothing, and takes what the bot says as the reference."""
        self._format: Format | None = None

    async def start(self, sample_rate: int) -> None:
        """Sets the rate. The session starts with the first audio."""
        self._format = usable_format(sample_rate)

    async def stop(self) -> None:
        """Ends the session."""
        await self.live.close()

    async def process_frame(self, frame: FilterControlFrame) -> None:
        """Switches the filter off or on."""
        if isinstance(frame, FilterEnableFrame):
            self.live.is_enabled = frame.enable

    async def filter(self, audio: bytes) -> bytes:
        """Returns as many bytes of the voice."""
        return audio if self._format is None else self.live.exchange(audio, self._format)


class AnechoicReferenceFilter(BaseAudioFilter):
    """The output filter of an `AnechoicFilter`. It returns the audio unchanged."""

    def __init__(self, live: LiveFilter) -> None:
        self._live = live
        self._format: Format | None = None

    async def start(self, sample_rate: int) -> None:
        """Announces the rate of the reference."""
        self._format = usable_format(sample_rate)
        if self._format is not None:
            self._live.announce_reference(self._format)

    async def stop(self) -> None:
        """Does nothing: the input filter ends the session."""

    async def process_frame(self, frame: FilterControlFrame) -> None:
        """Does nothing."""

    async def filter(self, audio: bytes) -> bytes:
        """Takes the reference, and returns it."""
        if self._format is not None:
            self._live.play(audio, self._format)
        return audio


class AnechoicVADAnalyzer(VADAnalyzer):
    """Voice activity as the server has found it, in which the bot's echo does not count.

    Give it the audio of the `AnechoicFilter`. A muted person has no voice. While there is no session, loud audio counts
    as voice.
    """

    def __init__(self, filter: AnechoicFilter, *, params: VADParams | None = None) -> None:
        """Without `params`, `confidence` is 0.5, the server's own decision, and `min_volume` is 0: the server has judged
        the level already.
        """
        super().__init__(params=params or VADParams(confidence=LEAST_VOICE, min_volume=0.0))
        self._probability = VoiceProbability(filter.live)

    def num_frames_required(self) -> int:
        """Returns the samples of 10 ms."""
        return self.sample_rate // 100

    async def analyze_audio(self, buffer: bytes) -> VADState:
        """Returns the state after some audio. Audio may be left out before it, such as that of a muted person."""
        self._probability.expect(-(-len(buffer) // (2 * self.num_frames_required())))
        return await super().analyze_audio(buffer)

    def voice_confidence(self, buffer: bytes) -> float:
        """Returns the probability of a voice, 0 to 1: at least 0.5 for what the server counts as voice."""
        return self._probability.next(buffer)


@dataclass
class AnechoicTurnFrame(SystemFrame):
    """What the server has found out about the turn of the person."""

    event: Event
    """One of `TurnStarted`, `TurnMayEnd`, `TurnContinued`, `TurnEnded`, `TurnInterruption`, `Backchannel` and
    `NotSpeech`.
    """


class AnechoicTurns(FrameProcessor):
    """Proposes the turns that the server finds. Backchannels, coughs, keys and a muted person propose nothing.

    Each event is an `AnechoicTurnFrame`. The start and the end of a turn also are a `ProposedUserStartedSpeakingFrame`
    and a `ProposedUserStoppedSpeakingFrame`, which Pipecat's `ExternalUserTurnStrategies` decide about.
    """

    def __init__(self, filter: AnechoicFilter, **options: Any) -> None:
        """`options` are those of `FrameProcessor`."""
        super().__init__(**options)
        self._events: asyncio.Queue[Event] = asyncio.Queue(_MOST_WAITING)
        self._has_turn = False
        self._pushing: asyncio.Task[None] | None = None
        HeardTurns(filter.live, self._take)

    async def process_frame(self, frame: Frame, direction: FrameDirection) -> None:
        """Passes every frame on."""
        await super().process_frame(frame, direction)
        if isinstance(frame, StartFrame) and self._pushing is None:
            self._pushing = self.create_task(self._push())
        if isinstance(frame, (EndFrame, CancelFrame)):
            await self._stop()
        await self.push_frame(frame, direction)

    async def cleanup(self) -> None:
        """Stops pushing."""
        await super().cleanup()  # type: ignore[no-untyped-call]
        await self._stop()

    def _take(self, event: Event) -> None:
        if isinstance(event, (*_TURNS, Restarted)):
            if self._events.full():
                self._events.get_nowait()
            self._events.put_nowait(event)

    async def _stop(self) -> None:
        if self._pushing is not None:
            pushing, self._pushing = self._pushing, None
            await self.cancel_task(pushing)

    async def _push(self) -> None:
        while True:
            event = await self._events.get()
            if not isinstance(event, Restarted):
                await self.push_frame(AnechoicTurnFrame(event=event))
            if isinstance(event, TurnStarted) and not self._has_turn:
                self._has_turn = True
                await self.push_frame(ProposedUserStartedSpeakingFrame())
            elif isinstance(event, ENDS) and self._has_turn:
                self._has_turn = False
                await self.push_frame(ProposedUserStoppedSpeakingFrame())


class AnechoicInterruptionStrategy(BaseUserTurnStartStrategy):  # type: ignore[no-untyped-call]
    """Starts the turn of the person, and interrupts the bot, when the server finds it. Backchannels, coughs, keys and a
    muted person do neither.

    While the bot talks, the server waits until the voice is more than a backchannel.
    """

    def __init__(self, filter: AnechoicFilter, *, least_probability: float = 0.0, **options: Any) -> None:
        """A turn starts if its probability is `least_probability` or more. `options` are those of
        `BaseUserTurnStartStrategy`.
        """
        super().__init__(**options)
        self._least_probability = least_probability
        self._has_begun = False
        HeardTurns(filter.live, self._take)

    async def handle_user_turn_started(self) -> None:
        """Forgets a start: the turn has started, by this strategy or by another one."""
        self._has_begun = False

    async def process_frame(self, frame: Frame) -> ProcessFrameResult:
        """Starts the turn that the server has found. Audio comes often enough."""
        if not self._has_begun:
            return ProcessFrameResult.CONTINUE
        self._has_begun = False
        await self.trigger_user_turn_started()
        return ProcessFrameResult.STOP

    def _take(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            self._has_begun = event.probability >= self._least_probability
        elif isinstance(event, ENDS):
            self._has_begun = False


class AnechoicTurnAnalyzer(BaseTurnAnalyzer):
    """The end of a turn as the server has found it, for Pipecat's `TurnAnalyzerUserTurnStopStrategy`."""

    def __init__(self, filter: AnechoicFilter, *, sample_rate: int | None = None) -> None:
        super().__init__(sample_rate=sample_rate)
        self._params = BaseTurnParams()
        self._has_turn = False
        self._has_ended = False
        HeardTurns(filter.live, self._take)

    @property
    def speech_triggered(self) -> bool:
        """Whether the person has the turn."""
        return self._has_turn

    @property
    def params(self) -> BaseTurnParams:
        """There are no parameters here: `turn_detection` in the settings of the filter has them."""
        return self._params

    def append_audio(self, buffer: bytes, is_speech: bool) -> EndOfTurnState:
        """Returns COMPLETE once for each turn that has ended. The audio does not matter."""
        has_ended, self._has_ended = self._has_ended, False
        return EndOfTurnState.COMPLETE if has_ended else EndOfTurnState.INCOMPLETE

    async def analyze_end_of_turn(self) -> tuple[EndOfTurnState, None]:
        """Returns COMPLETE unless the person has the turn."""
        self._has_ended = False
        return (EndOfTurnState.INCOMPLETE if self._has_turn else EndOfTurnState.COMPLETE), None

    def clear(self) -> None:
        """Forgets the end of the last turn."""
        self._has_ended = False

    def _take(self, event: Event) -> None:
        if isinstance(event, TurnStarted):
            self._has_turn, self._has_ended = True, False
        elif isinstance(event, ENDS) and self._has_turn:
            self._has_turn, self._has_ended = False, True
