"""The responses of a session, sorted: output, events, statistics, answers."""

from __future__ import annotations

from ._convert import from_message
from ._controls import Controls
from ._eventlog import EventLog
from ._opus import Decoder
from ._output import Frame, Output, OutputQueue
from ._start import Plan
from ._state import State
from .events import ConfigChanged, Event, MuteChanged, event_from
from .formats import Format, Samples
from .statistics import Statistics
from .v1 import voice_processing_pb2 as api

_LONGEST_SILENCE = 10.0


class Inbox:
    """Keeps what arrives until it is read. Indexes count from the start of the first session."""

    def __init__(self, plan: Plan, controls: Controls, state: State) -> None:
        self.output = OutputQueue(plan.processed, plan.is_real_time)
        self.events = EventLog()
        self.statistics: Statistics | None = None
        self.lost_samples = 0
        """The samples of the output that were replaced by silence."""
        self.position = 0
        """The index after the last sample of the output."""
        self.last_event_id = 0
        self.length: int | None = None
        """The samples of the output at its end, once that is known."""
        self._plan, self._controls, self._state = plan, controls, state
        self._decoder = Decoder(plan.processed) if plan.processed.is_opus else None
        self._playback_decoder = Decoder(plan.playback) if plan.playback is not None and plan.playback.is_opus else None
        self._base = 0
        self._output_base = 0

    @property
    def session_position(self) -> int:
        """The position in the present session."""
        return self.position - self._output_base

    @property
    def playback_position(self) -> int:
        """The index after the last sample of the playback."""
        return self._in_playback(self.position)

    def rebase(self, base: int) -> None:
        """Notes that the session's first sample has this index from now on."""
        self._base = base
        self._output_base = base * self._plan.processed.rate // self._plan.inputs["microphone"].rate

    def add(self, response: api.ProcessResponse) -> Event | None:
        """Sorts a response. Returns an event, which may need an answer. Runs per message."""
        kind = response.WhichOneof("response")
        if kind == "audio":
            self._add_audio(response.audio)
        elif kind == "event":
            self.last_event_id = response.event.event_id
            event = event_from(response.event, self._base)
            if isinstance(event, MuteChanged):
                self._state.mute_changed(event.state.muted)
            elif isinstance(event, ConfigChanged):
                self._state.config_changed(event.config)
            self.events.add(event)
            return event
        elif kind == "control_result":
            self._controls.resolve(response.control_result)
        elif kind == "stats":
            self.statistics = from_message(Statistics, response.stats)
        return None

    def _add_audio(self, audio: api.AudioOutput) -> None:
        format = self._plan.processed
        data = audio.processed.samples
        count = len(data) // format.frame_bytes if self._decoder is None else self._decoder.count(data)
        first = self._output_base + audio.processed.first_sample
        if first > self.position:
            self._fill(format, first)
        skipped = max(0, self.position - first)
        if skipped >= count:
            return
        if self._decoder is not None:
            data = self._decoder.decode(data)
            if self.length is not None:  # The last packet may be longer than the rest of the sound.
                count = max(skipped, min(count, self.length - first))
        samples = format.to_array(data)[skipped:count]
        playback = self._playback(audio, skipped, count)
        frames = tuple([Frame(each.speech_probability, each.voice, each.muted) for each in audio.frames])
        self.position = first + count
        self.output.add(
            Output(samples, first + skipped, playback, frames, first_playback_sample=self._in_playback(first + skipped))
        )

    def _playback(self, audio: api.AudioOutput, skipped: int, count: int) -> Samples | None:
        """Returns the playback of the same time as the samples `skipped` to `count` of the chunk."""
        format = self._plan.playback
        if format is None:
            return None
        data, rate = audio.playback.samples, self._plan.processed.rate
        if self._playback_decoder is not None:
            data = self._playback_decoder.decode(data)
        return format.to_array(data)[skipped * format.rate // rate : -(-count * format.rate // rate)]

    def _in_playback(self, sample: int) -> int:
        mix = self._plan.playback
        return 0 if mix is None else sample * mix.rate // self._plan.processed.rate

    def _fill(self, format: Format, first: int) -> None:
        """Adds silence in place of lost output, and skips what is more than 10 s."""
        missing = min(first - self.position, round(_LONGEST_SILENCE * format.rate))
        self.lost_samples += first - self.position
        silence = format.to_array(bytes(missing * format.frame_bytes))
        playback = None
        if (mix := self._plan.playback) is not None:
            playback = mix.to_array(bytes(missing * mix.rate // format.rate * mix.frame_bytes))
        start = first - missing
        self.output.add(
            Output(silence, start, playback, (), is_lost=True, first_playback_sample=self._in_playback(start))
        )
        self.position = first
