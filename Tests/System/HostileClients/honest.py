"""Honest clients during an attack.

Run as a program, in two forms. Both end when standard input does, and then print one JSON object.

  honest.py bytes ADDRESS              sessions under the media clock, one after another: digests
  honest.py times ADDRESS ADDRESS      a real-time session on each server, in step: late frames
"""

import hashlib
import json
import os
import select
import sys
import time

import service
import wire

LATE = 0.05  # seconds
_frames = None


def frames():
    global _frames
    if _frames is None:
        _frames = list(zip(service.noise(300, seed=1), service.noise(300, seed=2)))
    return _frames


def headers():
    token = os.environ.get("ANECHOIC_TEST_TOKEN")
    return [("anechoic-client", "honest")] + (
        [("authorization", f"Bearer {token}")] if token else [])


def digest(address):
    """Runs a session of 3 s under the media clock. Returns the hash of its output, and its status."""
    try:
        connection = wire.Connection(address)
    except OSError as error:
        return None, str(error)
    output = hashlib.sha256()

    def take(payload):
        response = service.voice.ProcessResponse.FromString(payload)
        output.update(response.audio.processed.samples)

    call = connection.call(service.PROCESS, headers())
    call.on_message = take
    call.send(service.start(media_clock=True, reference=True))
    for microphone, reference in frames():
        if call.has_ended:
            break
        call.send(service.audio(microphone, reference=reference))
        connection.pump()
    call.half_close()
    status = call.result(30)
    connection.close()
    return output.hexdigest(), status


def run_bytes(address):
    results = []
    while not has_ended(0.1):
        results.append(digest(address))
    results.append(digest(address))
    print(json.dumps(results))


class RealTimeSession:
    """Sends 10 ms every 10 ms, and records when the answers arrive."""

    def __init__(self, address):
        self.connection = wire.Connection(address)
        self.call = self.connection.call(service.PROCESS, headers())
        self.call.on_message = self._take
        self.call.send(service.start(session=f"honest-{os.getpid()}-{id(self)}", reference=True))
        self.sent = []
        self.delays = []  # The send time of each answer's audio, and the time until the answer.
        self.fault = None

    def send(self, index):
        if self.fault:
            return
        microphone, reference = frames()[index % len(frames())]
        self.sent.append(time.monotonic())
        self.call.send(service.audio(microphone, reference=reference))

    def pump(self):
        if self.fault:
            return
        self.connection.pump()
        if self.call.has_ended:
            self._fail(self.call.status)

    def finish(self):
        if self.fault:
            return
        self.call.half_close()
        if (status := self.call.result(5)) != 0:
            self._fail(status)
        self.connection.close()

    def _fail(self, status):
        self.fault = f"ended with {status} after {len(self.delays)} frames"

    def _take(self, payload):
        response = service.voice.ProcessResponse.FromString(payload)
        frame = response.audio.processed.first_sample // service.FRAME
        if response.HasField("audio") and frame < len(self.sent):
            self.delays.append((self.sent[frame], time.monotonic() - self.sent[frame]))


def run_times(addresses):
    frames()
    sessions = [RealTimeSession(address) for address in addresses]
    began = time.monotonic()
    index, lagged = 0, []
    print("ready", flush=True)
    while True:
        now = time.monotonic()
        due = began + index * 0.01
        if now >= due:
            if now - due > LATE:  # This client itself was held up.
                lagged.append(now)
            for session in sessions:
                session.send(index)
            index += 1
            if index % 10 == 0 and has_ended(0):
                break
            continue
        sockets = [s.connection.socket for s in sessions if not s.fault]
        select.select(sockets, [], [], due - now)
        for session in sessions:
            session.pump()
    for session in sessions:
        session.finish()
    print(json.dumps({
        "frames": index, "faults": [s.fault for s in sessions], "lagged": lagged,
        "delays": [s.delays for s in sessions],
    }))


def has_ended(limit):
    """Whether standard input has, which tells this program to finish."""
    return bool(select.select([sys.stdin], [], [], limit)[0])


if __name__ == "__main__":
    service.end_with_parent()
    if sys.argv[1] == "bytes":
        run_bytes(sys.argv[2])
    else:
        run_times(sys.argv[2:])
