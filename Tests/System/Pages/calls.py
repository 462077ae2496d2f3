"""Media clients that keep calls open: what the live page shows."""

import re
import threading
import time
import wave
from pathlib import Path

import grpc

import service
from service import FRAME, ROOT, voice

FRAMES_PER_CHUNK = 2
CHUNK = 2 * FRAME * FRAMES_PER_CHUNK


def page_of(server):
    """Returns the address of a server's live page, which the server tells last of all."""
    end = time.monotonic() + 20
    while not (found := re.search(r"live page on (\S+)", server.output)):
        if time.monotonic() > end:
            raise RuntimeError(f"the server has no live page: {server.output}")
        time.sleep(0.02)
    return found[1]


def sample(name):
    """Returns the samples of a file of sample/, as bytes."""
    with wave.open(str(ROOT / "sample" / f"{name}.wav")) as file:
        return file.readframes(file.getnframes())


class Call:
    """A call in real time. It sends `audio`, microphone and reference, again and again: the sample, or nothing
    if the call is `silent`. While it `is_paused`, it sends nothing."""

    def __init__(self, address, session, client="kiosk", token=None, silent=False, asks=False, **labels):
        """`asks` has the client decide about presses of a mute button."""
        self.over = threading.Event()
        self.is_paused = False
        self.controls = []
        self.audio = None if silent else (sample("microphone"), sample("reference"))
        start = voice.ProcessRequest.FromString(service.start(session, **labels))
        config = start.start.config
        config.preferred_injection_mode = 2
        if asks:
            config.mute.gesture_policy = 2
            config.mute.gesture_decision_timeout.seconds = 60
        config.voice_activity_detection.far_end_enabled = not silent
        if not silent:
            for form in (start.start.inputs.reference, start.start.inputs.far_end,
                         start.start.outputs.playback):
                form.CopyFrom(service.audio_format())
        self.channel = grpc.insecure_channel(
            address, options=[("grpc.use_local_subchannel_pool", 1)])
        headers = [("anechoic-client", client)]
        if token:
            headers.append(("authorization", f"Bearer {token}"))
        self.responses = self.channel.stream_stream(service.PROCESS)(
            self.requests(start.SerializeToString()), metadata=headers)
        next(self.responses)
        threading.Thread(target=self.drain, daemon=True).start()

    def requests(self, start):
        yield start
        due, position = time.monotonic(), 0
        while not self.over.is_set():
            while self.controls:
                yield self.controls.pop(0)
            if self.audio and not self.is_paused:
                yield self.chunk(position)
                position += CHUNK
            due += FRAMES_PER_CHUNK / 100 if self.audio else 1
            self.over.wait(max(0, due - time.monotonic()))

    def chunk(self, position):
        microphone, reference = self.audio
        start = position % (len(microphone) - len(microphone) % CHUNK)
        request = voice.ProcessRequest()
        request.audio.microphone.samples = microphone[start:start + CHUNK]
        for chunk in (request.audio.reference, request.audio.far_end):
            chunk.samples = reference[start:start + CHUNK]
        return request.SerializeToString()

    def drain(self):
        try:
            for _ in self.responses:
                pass
        except grpc.RpcError:
            pass

    def permit(self, client, grant=True):
        """Answers the question whether a client may inject speech."""
        request = voice.ProcessRequest()
        request.control.decide_injection_permission.client = client
        request.control.decide_injection_permission.grant = grant
        self.controls.append(request.SerializeToString())

    def decide(self, gesture, accept):
        """Answers the question whether a press of a mute button counts."""
        request = voice.ProcessRequest()
        request.control.decide_mute_gesture.gesture_id = gesture
        request.control.decide_mute_gesture.accept = accept
        self.controls.append(request.SerializeToString())

    def end(self):
        self.over.set()
        self.responses.cancel()
        self.channel.close()


def unary(address, method, request, client="doorbell", timeout=20):
    """Starts a call of the session service, and returns its future."""
    channel = grpc.insecure_channel(address)
    return channel.unary_unary(service.SESSIONS + method).future(
        request.SerializeToString(), metadata=[("anechoic-client", client)], timeout=timeout)
