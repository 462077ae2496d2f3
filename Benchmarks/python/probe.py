#!/usr/bin/python3
"""Runs one session over a bare socket, and measures its round trips.

It has neither grpcio nor the package in it: the difference to the times of sessions.py is what these add.
Prints one line of JSON, in milliseconds.
"""

import argparse
import asyncio
import json
import sys
from pathlib import Path

import numpy as np
from frames import END_HEADERS, HEADERS, PREFACE, Connection, frame, literal

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python/src"))
from anechoic.v1 import audio_pb2, voice_processing_pb2 as api  # noqa: E402

RATE = 16000
PATH = b"/anechoic.v1.VoiceProcessingService/Process"


class Probe(Connection):
    """One call on a connection of its own."""

    def connection_made(self, transport):
        transport.write(PREFACE)
        super().connection_made(transport)
        self.message, self.answers, self.sent = bytearray(), [], {}
        # POST, http, and the path (RFC 7541, appendix A).
        block = b"\x83\x86\x04" + bytes([len(PATH)]) + PATH + literal(b":authority", b"probe")
        block += literal(b"te", b"trailers") + literal(b"content-type", b"application/grpc")
        transport.write(frame(HEADERS, END_HEADERS, 1, block))
        self.open(1)
        self.started = asyncio.get_running_loop().create_future()

    def post(self, request):
        data = request.SerializeToString()
        self.send(1, b"\0" + len(data).to_bytes(4, "big") + data)
        self.flush()

    def data(self, stream, payload, is_end):
        self.message += payload
        now = asyncio.get_running_loop().time()
        while len(self.message) >= 5:
            size = int.from_bytes(self.message[1:5], "big")
            if len(self.message) < 5 + size:
                return
            response = api.ProcessResponse.FromString(bytes(self.message[5:5 + size]))
            del self.message[:5 + size]
            if response.HasField("audio"):
                chunk = response.audio.processed
                sent = self.sent.pop(chunk.first_sample + len(chunk.samples) // 2, None)
                if sent:
                    self.answers.append(now - sent)
            elif not self.started.done():
                self.started.set_result(None)


def start(chunk, inputs):
    form = audio_pb2.AudioFormat(encoding=1, sample_rate_hz=RATE, channel_count=1)
    begin = api.Start(inputs={name: form for name in inputs}, outputs={"processed": form})
    begin.outputs.chunk_duration.nanos = chunk * 1_000_000
    return api.ProcessRequest(start=begin)


async def run(options):
    host, _, port = options.server.rpartition(":")
    loop = asyncio.get_running_loop()
    _, probe = await loop.create_connection(Probe, host, int(port))
    inputs = ["microphone"] if options.no_reference else ["microphone", "reference"]
    probe.post(start(options.chunk, inputs))
    await probe.started
    count = options.chunk * RATE // 1000
    noise = np.random.default_rng(1).normal(0, 1000, count).astype("<i2").tobytes()
    began, position = loop.time(), 0
    while (due := began + (position + count) / RATE) < began + options.seconds:
        await asyncio.sleep(due - loop.time())
        request = api.ProcessRequest()
        for name in inputs:
            port = getattr(request.audio, name)
            port.samples, port.first_sample = noise, position
        position += count
        probe.sent[position] = loop.time()
        probe.post(request)
    await asyncio.sleep(0.5)
    times = np.array(probe.answers) * 1000
    return {"answers": len(times), "p50": round(float(np.percentile(times, 50)), 2),
            "p99": round(float(np.percentile(times, 99)), 2)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--server", default="127.0.0.1:50051", metavar="HOST:PORT")
    parser.add_argument("--chunk", type=int, default=40, metavar="MS")
    parser.add_argument("--no-reference", action="store_true")
    parser.add_argument("--seconds", type=float, default=20.0)
    print(json.dumps(asyncio.run(run(parser.parse_args()))))


if __name__ == "__main__":
    main()
