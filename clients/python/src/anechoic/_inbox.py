"""The responses of a session, sorted: output, events, statistics, answers."""

from __future__ import annotations

import logging
from dataclasses import replace

from ._answers import LARGEST_MESSAGE
from ._convert import from_message
from ._controls import Controls
from ._eventlog import EventLog
from ._opus import Decoder
from ._outbox import Outbox
from ._output import Frame, Output, OutputQueue
from ._reports import Reports
from ._session_events import POSITIONS
from ._silence import Silence
from ._start import Plan
from ._state import State
from .enums import EnrollmentFailure
from .events import ConfigChanged, Event, MuteChanged, SessionFinished, VoiceEnrollmentChanged, event_from
from .formats import Samples, finite
from .statistics import Statistics
from .v1 import voice_processing_pb2 as api

_log = logging.getLogger("anechoic")


class Inbox:
    """Keeps what arrives until it is read. Indexes count from the start of the first session.

    A response that makes no sense is dropped and counted: output of audio that was never sent, a part of a sample,
    an answer that nobody waits for.
    """

    def __init__(self, plan: Plan, controls: Controls, reports: Reports, state: State, outbox: Outbox) -> None:
        self.output = OutputQueue(plan.processed, plan.other_outputs, plan.is_real_time)
        self.silence = Silence(
            plan.inputs["microphone"].rate, plan.processed.rate,
            {name: format.rate for name, format in plan.other_outputs.items() if name != "playback"})
        self.output.filter = self.silence.applied
        self.events = EventLog()
        self.statistics: Statistics | None = None
        self.echo_path = b""
        self.voiceprint = b""
        self.lost_samples = 0
        """The samples of the output that were replaced by silence."""
        self.invalid_responses = 0
        """The responses that made no sense, and were dropped."""
        self.position = 0
        """The index after the last sample of the output."""
        self.last_event_id = 0
        self.length: int | None = None
        """The samples of the output at its end, once that is known."""
        self._plan, self._controls, self._reports, self._state = plan, controls, reports, state
        self._outbox = outbox
        self._rate = plan.processed.rate
        self._microphone_rate = plan.inputs["microphone"].rate
        self._decoder = Decoder(plan.processed) if plan.processed.is_opus else None
        self._other_decoders = {
            name: Decoder(format) for name, format in plan.other_outputs.items() if format.is_opus}
        self._base = 0
        self._output_base = 0
        self._too_little_voice_at: int | None = None
        """The sample at which an enrollment ended because too little voice had been heard."""
        self._next_base: tuple[int, int] | None = None
        """From a sample of the session's microphone on, it has another base."""

    @property
    def session_position(self) -> int:
        """The position in the present session."""
        return self.position - self._output_base

    @property
    def playback_position(self) -> int:
        """The index after the last sample of the playback."""
        return self.output.playback_sample(self.position)

    def rebase(self, base: int, after: int = 0) -> None:
        """Records that the session's first sample has this index, for what follows its sample `after`."""
        if after > 0:
            self._next_base = after, base
            return
        self._next_base = None
        self._base = base
        self._output_base = self._in_output(base)

    def add(self, response: api.ProcessResponse) -> Event | None:
        """Sorts a response. Returns an event, which may need an answer. Runs per message."""
        kind = response.WhichOneof("response")
        if kind == "audio":
            if problem := self._add_audio(response.audio):
                self._drop(problem)
        elif kind == "event":
            return self._add_event(response)
        elif kind == "control_result":
            result = response.control_result
            if result.control_id == 0:
                self._reports.refused()
            elif not self._controls.resolve(result, self._within(result.applied_at_sample)):
                self._drop("an answer to a control that nobody waits for")
        elif kind == "stats":
            if response.ByteSize() > LARGEST_MESSAGE:
                self._drop(f"statistics of more than {LARGEST_MESSAGE} bytes")
            else:
                self.statistics = from_message(Statistics, response.stats)
        elif kind == "echo_path":
            self.echo_path = response.echo_path.SerializeToString()
        elif kind == "voiceprint":
            self.voiceprint = response.voiceprint.SerializeToString()
            self._state.voice_is(response.voiceprint)
        else:
            self._drop("the session has started already" if kind == "started" else "an empty response")
        return None

    def _drop(self, problem: str) -> None:
        if self.invalid_responses == 0:
            _log.warning("a response of the server makes no sense, and is dropped: %s", problem)
        self.invalid_responses += 1

    def _in_output(self, sample: int) -> int:
        """Returns a sample of the microphone as one of the output."""
        return sample * self._rate // self._microphone_rate

    def _within(self, sample: int) -> int:
        """Returns the index of a sample of the session's microphone, within what was sent."""
        base = self._base
        if self._next_base is not None and sample >= self._next_base[0]:
            base = self._next_base[1]
        return min(max(base, base + sample), max(base, self._outbox.sent))

    # Events.

    def _add_event(self, response: api.ProcessResponse) -> Event | None:
        if response.ByteSize() > LARGEST_MESSAGE:
            self._drop(f"an event of more than {LARGEST_MESSAGE} bytes")
            return None
        self.last_event_id = response.event.event_id
        event = event_from(response.event)
        positions = ("sample", *POSITIONS.get(type(event), ()))
        event = replace(event, **{name: self._within(getattr(event, name)) for name in positions})
        if isinstance(event, MuteChanged):
            self._state.mute_changed(event.state.muted)
        elif isinstance(event, ConfigChanged):
            self._state.config_changed(event.config)
        elif isinstance(event, VoiceEnrollmentChanged):
            self._enrollment_changed(event)
        elif isinstance(event, SessionFinished) and event.sample == self._too_little_voice_at:
            self._state.enrolls(True)  # The voice could come later: the next session learns on.
        self.events.add(event)
        return event

    def _enrollment_changed(self, event: VoiceEnrollmentChanged) -> None:
        is_too_little = event.failure == EnrollmentFailure.TOO_LITTLE_VOICE
        self._too_little_voice_at = event.sample if is_too_little else None
        if event.failure != EnrollmentFailure.UNSPECIFIED:
            self._state.enrolls(False)

    # Audio.

    def _add_audio(self, audio: api.AudioOutput) -> str:
        """Adds output. Returns why it makes no sense, or an empty text."""
        format, data = self._plan.processed, audio.processed.samples
        if self._decoder is None and len(data) % format.frame_bytes:
            return "a part of a sample"
        count = len(data) // format.frame_bytes if self._decoder is None else self._decoder.count(data)
        if not data:
            return ""
        if not 0 < count <= self._rate:
            return f"output of {count} samples"
        if self._next_base is not None and audio.processed.first_sample >= self._in_output(self._next_base[0]):
            self.rebase(self._next_base[1])
        first = self._output_base + audio.processed.first_sample
        most = self._most(count)
        if audio.processed.first_sample < 0 or first + count > most:
            return f"output from sample {first} on, and audio was sent for {most} samples"
        skipped = max(0, self.position - first)
        if skipped >= count:
            return ""
        if first > self.position:
            self.lost_samples += first - self.position
            self.output.add_gap(self.position, first - self.position)
        if self._decoder is not None:
            data = self._decoder.decode(data)
            if self.length is not None:  # The last packet may be longer than the rest of the sound.
                count = max(skipped, min(count, self.length - first))
        samples = finite(format.to_array(data)[skipped:count])
        self.position = first + count
        others = {name: self._other(name, getattr(audio, name).samples, skipped, count)
                  for name in self._plan.other_outputs}
        self.output.add(Output(
            samples, first + skipped, others.get("playback"), self._frames(audio, skipped, count),
            first_playback_sample=self.output.playback_sample(first + skipped),
            recognizer=others.get("recognizer"), raw=others.get("raw"),
        ))
        return ""

    def _most(self, count: int) -> int:
        """Returns the index after the last sample that the output can have: that of the audio that was sent.

        The last frame of it may be filled up, and so may the last packet, which has `count` samples.
        """
        return -(-self._outbox.sent * self._rate // self._microphone_rate) + (
            self._rate // 100 if self._decoder is None else count)

    def _frames(self, audio: api.AudioOutput, skipped: int, count: int) -> tuple[Frame, ...]:
        """Returns the results for the samples `skipped` to `count`."""
        step = self._rate // 100
        frames = audio.frames[skipped // step : -(-count // step)]
        return tuple([Frame(_share(each.speech_probability), each.voice, each.muted) for each in frames])

    def _other(self, name: str, data: bytes, skipped: int, count: int) -> Samples:
        """Returns what another output has of the same time as the samples `skipped` to `count` of the chunk."""
        format, decoder = self._plan.other_outputs[name], self._other_decoders.get(name)
        if decoder is not None and data:
            data = decoder.decode(data)
        samples = format.to_array(data[: len(data) // format.frame_bytes * format.frame_bytes])
        return finite(samples[skipped * format.rate // self._rate : -(-count * format.rate // self._rate)])


def _share(probability: float) -> float:
    """Returns a probability. A value that is not a number counts as 0.

    >>> [_share(each) for each in (0.5, -1.0, float("inf"), float("nan"))]
    [0.5, 0.0, 1.0, 0.0]
    """
    return min(probability, 1.0) if probability > 0 else 0.0
