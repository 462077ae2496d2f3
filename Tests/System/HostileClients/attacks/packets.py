"""Opus packets that are wrong."""

import random

import service
from suite import attack
from wire import Connection

from attacks.calls import Victim


def opus_start(rate, channels):
    """A session whose microphone and far end send Opus, and whose outputs do."""
    request = service.voice.ProcessRequest.FromString(service.start(media_clock=True, playback=True))
    formats = (request.start.inputs.microphone, request.start.inputs.far_end,
               request.start.outputs.processed, request.start.outputs.playback)
    for target in formats:
        target.encoding = service.audio_pb2.AUDIO_ENCODING_OPUS
        target.sample_rate_hz, target.channel_count = rate, channels
    return request.SerializeToString()


def packet(generator):
    """A packet of any mode, bandwidth and contents. One in twenty has wrong lengths."""
    data = bytearray(generator.randbytes(generator.choice((1, 2, 10, 80, 400, 1275))))
    if generator.randrange(20):
        data[0] &= 0xFC  # One frame: its length is that of the packet.
        return bytes(data)
    kind = generator.randrange(4)
    if kind == 0:
        return b""
    if kind == 1:
        data += bytes(4000)
    elif kind == 2 and len(data) > 1:
        data[0] |= 3  # Any number of frames, with lengths and padding.
        data[1] = generator.choice((0, 1, 0x3F, 0x41, 0xC1, 0xFF))
    return bytes(data)


@attack(memory=64)
def opus_packets(report):
    """200 sessions whose Opus packets are random, truncated, empty or of other rates."""
    victim, generator = Victim(report.address, "opus"), random.Random(11)
    answers = {}
    for _ in range(report.count(200, least=20)):
        connection = Connection(report.address)
        call = connection.call(service.PROCESS)
        call.send(opus_start(generator.choice((8000, 16000, 24000, 48000)), generator.choice((1, 2))))
        for _ in range(generator.randrange(1, 40)):
            request = service.voice.ProcessRequest()
            request.audio.microphone.samples = packet(generator)
            if generator.randrange(3) == 0:
                request.audio.far_end.samples = packet(generator)
            if generator.randrange(10) == 0:
                request.audio.microphone.first_sample = generator.randrange(100_000)
            call.send(request.SerializeToString(), timeout=1)
        call.half_close()
        status = call.result(20)
        answers[status] = answers.get(status, 0) + 1
        report.expect(status in (0, 3), f"packets were answered with {status}")
        connection.close()
        victim.connection.pump()
    report.notes.append(f"{answers.get(0, 0)} sessions to their end, {answers.get(3, 0)} refused")
    victim.close()
