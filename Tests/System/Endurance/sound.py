"""What the sessions of the endurance test send: starts, and messages of audio that are made once."""

import array
import struct
import wave
from dataclasses import dataclass, field

import service

voice, audio_pb2 = service.voice, service.audio_pb2
SAMPLE = service.ROOT / "sample"
CHUNK = service.RATE // 10  # The samples of a message at 16 kHz.
CHUNK_SECONDS = 0.1
PACKET_SECONDS = 0.02  # A message of Opus.
# In the near end of the sample, the seconds in which only the person at the microphone talks.
VOICE_ALONE = (9.1, 13.9)


@dataclass
class Sound:
    """The start of a kind of session, and its messages, each with gRPC's prefix of five bytes."""
    start: voice.ProcessRequest
    messages: list = field(default_factory=list)
    seconds_each: float = CHUNK_SECONDS

    def of(self, seconds):
        """The messages of so many seconds: the sound begins anew at its end."""
        count = max(1, round(seconds / self.seconds_each))
        return (self.messages[index % len(self.messages)] for index in range(count))

    def request(self, **fields):
        """A copy of the start, with other values of these fields."""
        request = voice.ProcessRequest()
        request.CopyFrom(self.start)
        for name, value in fields.items():
            setattr(request.start, name, value)
        return request


def framed(message):
    data = message.SerializeToString()
    return struct.pack(">BI", 0, len(data)) + data


def samples_of(name):
    with wave.open(str(SAMPLE / f"{name}.wav")) as file:
        return array.array("h", file.readframes(file.getnframes()))


def chunks(samples, repeats=1):
    """Pieces of 100 ms; each sample is repeated, for rates that are multiples of 16 kHz."""
    for place in range(0, len(samples) - CHUNK + 1, CHUNK):
        piece = samples[place:place + CHUNK]
        if repeats > 1:
            piece = array.array("h", (value for value in piece for _ in range(repeats)))
        yield piece.tobytes()


def start(media_clock, rate=service.RATE, engine=""):
    request = voice.ProcessRequest.FromString(service.start(media_clock=media_clock, reference=True))
    request.start.engine = engine
    for audio_format in (
            request.start.inputs.microphone, request.start.inputs.reference, request.start.outputs.processed):
        audio_format.sample_rate_hz = rate
    return request


def plain(media_clock, rate=service.RATE, engine=""):
    sound = Sound(start(media_clock, rate, engine))
    repeats = rate // service.RATE
    for microphone, reference in zip(
            chunks(samples_of("microphone"), repeats), chunks(samples_of("reference"), repeats)):
        request = voice.ProcessRequest()
        request.audio.microphone.samples, request.audio.reference.samples = microphone, reference
        sound.messages.append(framed(request))
    return sound


def alone(media_clock, mode=2):
    """A voice without an echo, from which a session learns it."""
    sound = Sound(voice.ProcessRequest.FromString(service.start(media_clock=media_clock)))
    sound.start.start.config.preferred_mic_mode = mode
    sound.start.start.enroll_voice = True
    begin, end = (int(second * service.RATE) for second in VOICE_ALONE)
    for microphone in chunks(samples_of("near")[begin:end]):
        request = voice.ProcessRequest()
        request.audio.microphone.samples = microphone
        sound.messages.append(framed(request))
    return sound


def spatial(media_clock):
    """Two people around a head that turns, in headphones; turns of the person at the microphone."""
    sound = Sound(voice.ProcessRequest.FromString(service.start(media_clock=media_clock)))
    begin = sound.start.start
    begin.outputs.playback.CopyFrom(service.audio_format(channels=2))
    begin.config.spatial_audio.enabled = begin.config.spatial_audio.head_tracked = True
    begin.config.turn_detection.enabled = True
    for name, azimuth in (("alice", 45), ("bob", -45)):
        begin.inputs.far_ends.add(far_end_id=name).format.CopyFrom(service.audio_format())
        begin.config.spatial_audio.sources.add(far_end_id=name, azimuth_degrees=azimuth)
    pieces = zip(chunks(samples_of("microphone")), chunks(samples_of("reference")), chunks(samples_of("near")))
    for index, (microphone, alice, bob) in enumerate(pieces):
        request = voice.ProcessRequest()
        request.audio.microphone.samples = microphone
        for name, samples in (("alice", alice), ("bob", bob)):
            far_end = request.audio.far_ends.add(far_end_id=name)
            far_end.audio.samples = samples
        pose = voice.ProcessRequest()
        pose.head_pose.angles.yaw_degrees = index % 90
        sound.messages.append(framed(pose) + framed(request))
    return sound


def opus(media_clock, packets):
    """The packets that a session has answered, as the microphone of others."""
    sound = Sound(voice.ProcessRequest.FromString(service.start(media_clock=media_clock)))
    for audio_format in (sound.start.start.inputs.microphone, sound.start.start.outputs.processed):
        audio_format.encoding = audio_pb2.AUDIO_ENCODING_OPUS
    sound.seconds_each = PACKET_SECONDS
    for packet in packets:
        request = voice.ProcessRequest()
        request.audio.microphone.samples = packet
        sound.messages.append(framed(request))
    return sound


def every_kind(media_clock):
    """All kinds by name, but Opus, whose packets a server has to make first."""
    return {
        "plain": plain(media_clock),
        "plain_48": plain(media_clock, rate=3 * service.RATE),
        "webrtc": plain(media_clock, engine="webrtc-audio-processing"),
        "isolated": alone(media_clock),
        "spatial": spatial(media_clock),
    }
