"""The audio of a session that waits to be sent. The module does no I/O."""

from __future__ import annotations

from typing import Mapping

from ._opus import Encoder
from ._track import Track
from .formats import Format
from .spatial import far_end_of
from .v1 import voice_processing_pb2 as api

_LARGEST_CHUNK = 0.12
_KEPT_IN_REAL_TIME = 2.0
_WAITING = {True: 2.0, False: 5.0}
"""The seconds of audio that may wait, in real time and under the media clock."""
_LONGEST_BURST = 10.0
"""The seconds that a microphone may have gathered while it was late, for which the reference is kept."""
_PATIENCE = 0.06
"""The seconds for which a pause of an intermittent reference may be late audio."""


class Outbox:
    """Cuts the inputs into messages. Indexes count from the start of the first session.

    The memory is bounded: `room` says how much more may be added.
    """

    def __init__(
        self, formats: Mapping[str, Format], chunk: float, is_real_time: bool, has_intermittent_reference: bool
    ) -> None:
        self.microphone = Track(formats["microphone"])
        self.others = {name: Track(format) for name, format in formats.items() if name != "microphone"}
        self._rate = self.microphone.format.rate
        self._chunk = max(1, round(chunk * self._rate))
        self._largest = max(self._chunk, round(_LARGEST_CHUNK * self._rate))
        self._packets = {name: round(chunk * format.rate) for name, format in formats.items() if format.is_opus}
        """The samples of a packet of each input that is Opus."""
        self._encoders = {name: Encoder(formats[name], count) for name, count in self._packets.items()}
        if "microphone" in self._packets:
            self._largest = self._chunk
        self._is_real_time = is_real_time
        self._limit = round(_WAITING[is_real_time] * self._rate)
        self._limits = {id(track): self._in(track, self._limit) for track in (self.microphone, *self.others.values())}
        self._has_intermittent_reference = has_intermittent_reference
        self._reference_pauses = True
        self._bases: dict[str, int] = {name: 0 for name in self.others if far_end_of(name) is not None}
        """The samples of named far ends with which the present session began: they come and go."""
        self.base = 0
        """The index of the microphone's sample with which the present session began."""
        self.hurries_to = 0
        """A message ends before this sample of the microphone, even if the audio fills no message."""
        self._heard = bytearray()
        """The placed reference that was forgotten as heard: the last of it."""
        self._heard_at = 0
        """The index of the reference's sample before which it was."""
        self.is_finished = False
        self.fed_at: float | None = None
        """The time at which the microphone was fed last."""
        self.dropped_samples = 0
        """The samples of the microphone that were dropped because they waited too long."""

    @property
    def seconds(self) -> float:
        """The duration of the microphone so far."""
        return self.microphone.end / self._rate

    @property
    def sent(self) -> int:
        """The index after the last sample of the microphone that was sent."""
        return self.microphone.sent

    @property
    def unsent_from(self) -> int | None:
        """The index of the next sample of the microphone to send. None if none waits."""
        return self.microphone.sent if self.microphone.sent < self.microphone.end else None

    @property
    def next_start(self) -> int:
        """The index of the microphone's sample with which a new session would begin."""
        return self.microphone.end if self._is_real_time else self.microphone.start

    @property
    def has_nothing_left(self) -> bool:
        """Whether a new session would get no audio at all."""
        return self.is_finished and (self._is_real_time or self.microphone.start == self.microphone.end)

    def track(self, name: str) -> Track:
        return self.microphone if name == "microphone" else self.others[name]

    def room(self, track: Track) -> int:
        """Returns how many more samples of an input may be added now."""
        return self._limits[id(track)] - track.end + (track.sent if self._is_real_time else track.start)

    def is_ahead(self, name: str) -> bool:
        """Whether an input has no room, and the microphone has nothing to send that would make some."""
        return self.room(self.track(name)) <= 0 and self.microphone.end - self.microphone.sent < self._chunk

    def place_reference(self, data: bytes | bytearray | memoryview, most_seconds: float) -> bool:
        """Adds loudspeaker audio that starts to play now, or follows what plays. Returns false if it is too much."""
        track = self.others["reference"]
        now = self._in(track, self.microphone.end)
        if self._reference_pauses:
            track.pad_to(now)
        if track.end + len(data) // track.format.frame_bytes > now + most_seconds * track.format.rate:
            return False
        track.add(data)
        self._reference_pauses = False
        return True

    def drop_reference(self) -> bytes:
        """Forgets the loudspeaker audio that has not been played yet, and returns it."""
        track = self.others["reference"]
        return track.discard(self._in(track, self.microphone.end))

    def drop_playback(self) -> None:
        """Forgets the far ends and the other audio that have not been sent."""
        for name, track in self.others.items():
            if name != "reference":
                track.discard(track.sent)

    def forget_heard(self, seconds: float) -> None:
        """Forgets the placed loudspeaker audio that was played while no microphone came.

        Less than 0 s is what was forgotten last, and belongs to the microphone that has come since.
        """
        track = self.others["reference"]
        count, size = round(abs(seconds) * track.format.rate), track.format.frame_bytes
        if seconds > 0:
            self._heard_at = self._in(track, self.microphone.end)
            # Nothing that is heard is silence.
            self._heard += track.cut(self._heard_at, count).ljust(min(count * size, self._most_heard(track)), b"\0")
            del self._heard[: -self._most_heard(track)]
        elif count > 0:
            track.pad_to(self._heard_at)
            track.insert(self._heard_at, bytes(self._heard[-count * size :]))
            del self._heard[-count * size :]

    def drop_unsent(self) -> None:
        """Forgets what was not sent, and ends the input."""
        for track in (self.microphone, *self.others.values()):
            track.discard(track.sent)
        self.is_finished = True

    def next_message(self) -> api.ProcessRequest | None:
        """Returns the next audio, or None if there is not enough yet. Runs per message."""
        track = self.microphone
        if (late := self._late_packets()) is not None:
            return late
        waiting = track.end - track.sent
        hurries = track.sent < self.hurries_to and "microphone" not in self._packets
        if waiting < self._chunk and not ((self.is_finished or hurries) and waiting > 0):
            return None
        count = min(waiting, self._largest)
        if hurries:
            count = min(count, self.hurries_to - track.sent)
        if not self._is_real_time and not self.is_finished:
            count = min(count, self._covered(track.sent))
            if count <= 0 or count < self._packets.get("microphone", 0):
                return None
        message = api.ProcessRequest()
        audio = message.audio
        audio.microphone.first_sample = track.sent - self.base
        if (time := track.time_of(track.sent)) is not None:
            audio.microphone.device_time_ns = time
        audio.microphone.samples = self._encoded("microphone", track.take(count))
        for name, other in self.others.items():
            if self._has_intermittent_reference and name == "reference":
                self._fill_pause(other)
            self._add(audio, name, other, self._in(other, track.sent) - other.sent)
        if self._is_real_time:
            self.confirm(track.sent - round(_KEPT_IN_REAL_TIME * self._rate))
        return message

    def _add(self, audio: api.AudioInput, name: str, track: Track, count: int) -> None:
        """Adds at most `count` samples of an input, or one packet of it."""
        began = self._bases.get(name, self._in(track, self.base))
        if name not in self._bases and track.sent < began:  # It is older than the session.
            count -= min(began, track.end) - track.sent
            track.forget(began)
        first, packet = track.sent, self._packets.get(name)
        if first < began or count <= 0:
            return
        if packet is not None:
            count = min(count, packet)
            if not self.is_finished and min(count, track.end - first) < packet:
                return
        time = track.time_of(first)
        samples = track.take(count)
        if samples:
            far_end = far_end_of(name)
            chunk = getattr(audio, name) if far_end is None else audio.far_ends.add(far_end_id=far_end).audio
            chunk.first_sample = first - began
            chunk.samples = self._encoded(name, samples)
            if time is not None:
                chunk.device_time_ns = time

    def _late_packets(self) -> api.ProcessRequest | None:
        """Returns packets of inputs that are behind the microphone by more than the next message takes."""
        message = None
        for name, packet in self._packets.items():
            track = self.track(name)
            if name == "microphone" or track.end - track.sent < packet:
                continue
            count = self._in(track, self.microphone.sent) - track.sent
            if count >= packet:
                message = message or api.ProcessRequest()
                self._add(message.audio, name, track, count)
        return message

    def _encoded(self, name: str, samples: bytes) -> bytes:
        encoder = self._encoders.get(name)
        return samples if encoder is None else encoder.encode(samples)

    def confirm(self, index: int) -> None:
        """Forgets what was sent before a sample of the microphone, because it is not needed again."""
        self.microphone.forget(min(index, self.microphone.sent))
        for other in self.others.values():
            other.forget(min(self._in(other, index), other.sent))

    def drop_oldest(self) -> None:
        """Forgets the oldest audio beyond the limit, sent or not. Only in real time."""
        index = self.microphone.end - self._limit
        self.dropped_samples += max(0, index - self.microphone.sent)
        self.microphone.forget(index)
        for other in self.others.values():
            other.forget(min(self._in(other, index), other.end - self._in(other, self._limit)))

    def leave_out(self, name: str) -> None:
        """Forgets what an input has beyond the microphone, as if it had never come."""
        if (track := self.others.get(name)) is not None:
            track.discard(self._in(track, self.microphone.end))

    def drop_waiting(self, count: int) -> None:
        """Forgets the oldest samples that wait. The present session does not count them."""
        count = min(count, self.microphone.end - self.microphone.sent)
        index = self.microphone.sent + count
        self.dropped_samples += count
        self.microphone.forget(index)
        for other in self.others.values():
            other.forget(min(self._in(other, index), other.end))
        self.skip(count)

    def skip(self, count: int) -> None:
        """Leaves this many samples out of the count of the present session."""
        before, self.base = self.base, self.base + count
        for name in self._bases:
            track = self.others[name]
            self._bases[name] += self._in(track, self.base) - self._in(track, before)

    def rewind(self, index: int) -> None:
        """Continues with a sample of the microphone, on another connection."""
        self.microphone.rewind(index)
        for other in self.others.values():
            other.rewind(self._in(other, index))

    def restart(self) -> int:
        """Begins a new session. Returns the index of its first sample.

        A recording is sent again from the oldest sample that is kept. In real time, the session begins with the next
        sample: it reads no faster than the microphone, so it would stay behind by whatever it began with.
        """
        if self._is_real_time:
            self.dropped_samples += self.microphone.end - self.microphone.sent
            self.microphone.forget(self.microphone.end)
        self.base = self.microphone.start
        self.rewind(self.base)
        self._bases = {name: self.others[name].sent for name in self._bases}
        return self.base

    def _covered(self, first: int) -> int:
        """The samples of the microphone from `first` on for which the other inputs are there, too.

        An input that is so late that the microphone's limit is reached is not waited for.
        """
        if self.room(self.microphone) <= 0:
            return self._largest
        awaited = [
            other for name, other in self.others.items()
            if not (self._has_intermittent_reference and name == "reference")
        ]
        ends = (other.end * self._rate // other.format.rate for other in awaited)
        return min(ends, default=first + self._largest) - first

    def _fill_pause(self, track: Track) -> None:
        now = self._in(track, self.microphone.sent)
        if track.end < now - round(_PATIENCE * track.format.rate):
            self._reference_pauses = True
        if self._reference_pauses:
            track.pad_to(now)

    @staticmethod
    def _most_heard(track: Track) -> int:
        return round(_LONGEST_BURST * track.format.rate) * track.format.frame_bytes

    def _in(self, track: Track, samples: int) -> int:
        """Samples of the microphone as samples of another input."""
        if track.format.rate == self._rate:
            return samples
        return samples * track.format.rate // self._rate
