"""anechoic-server as a process, what it holds, and the requests it takes."""

import array
import ctypes
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
VOICE = "/anechoic.v1.VoiceProcessingService/"
SESSIONS = "/anechoic.v1.SessionService/"
PROFILES = "/anechoic.v1.SpatialProfileService/"
PROCESS = VOICE + "Process"
JOIN = VOICE + "JoinSession"
ROUTING = "/anechoic.v1.RoutingService/"
ARBITRATE = ROUTING + "Arbitrate"
CAPABILITIES = VOICE + "GetCapabilities"
HEALTH = "/grpc.health.v1.Health/Check"
HEALTH_WATCH = "/grpc.health.v1.Health/Watch"
REFLECTION = "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
RATE = 16000
FRAME = RATE // 100


def generate_messages():
    """Writes the Python classes of proto/ into a folder that is gone with this process."""
    folder = tempfile.TemporaryDirectory(prefix="anechoic-messages-")
    protos = sorted(str(p.relative_to(ROOT / "proto")) for p in (ROOT / "proto").rglob("*.proto"))
    subprocess.run(
        ["protoc", f"--proto_path={ROOT / 'proto'}", f"--python_out={folder.name}", *protos],
        check=True)
    return folder


_folder = None
if "ANECHOIC_MESSAGES" not in os.environ:
    _folder = generate_messages()
    os.environ["ANECHOIC_MESSAGES"] = _folder.name
sys.path.insert(0, os.environ["ANECHOIC_MESSAGES"])

from anechoic.v1 import (  # noqa: E402
    audio_pb2, events_pb2, recording_pb2, routing_pb2, sessions_pb2, spatial_profiles_pb2 as profiles_pb2,
    voice_processing_pb2 as voice)


def end_with_parent():
    """In a child: makes it end when this process does."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


class Server:
    """A server on a free port of this machine, with few threads, so that neighbours share them."""

    def __init__(self, executable, *options, certificates=None):
        self.certificates = certificates
        options = [*options, *(certificates.options if certificates else [])]
        self.log = tempfile.NamedTemporaryFile(prefix="anechoic-server-", suffix=".log")
        self.process = subprocess.Popen(
            [executable, "--listen", "127.0.0.1:0", "--admin-listen", "off",
             "--http-listen", "off", "--threads", "2",
             *options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=end_with_parent)
        end = time.monotonic() + 20
        # Of several addresses, a unix socket is the last.
        expected = 2 if certificates else 1
        while len(found := re.findall(r"listening on (\S+)", self.output)) < expected:
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError(f"the server did not start: {self.output}")
            time.sleep(0.02)
        self.tls_address, self.address = found[0], found[-1]

    @property
    def output(self):
        return Path(self.log.name).read_text(errors="replace")

    @property
    def http_address(self):
        found = re.search(r"metrics on https?://([^/]+)/", self.output)
        return found[1] if found else ""

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def fate(self):
        code = self.process.poll()
        if code is None:
            return "runs"
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return f"{name}: {self.output[-800:].strip()}"

    def _status(self, key):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(key + ":"):
                return int(line.split()[1])
        return 0

    @property
    def memory(self):
        """What it holds in memory now, in MB."""
        return self._status("VmRSS") / 1024

    @property
    def own_memory(self):
        """The same without pages of files, such as the code that has been run so far."""
        return self._status("RssAnon") / 1024

    @property
    def peak_memory(self):
        return self._status("VmHWM") / 1024

    def reset_peak(self):
        Path(f"/proc/{self.process.pid}/clear_refs").write_text("5")

    @property
    def threads(self):
        return self._status("Threads")

    @property
    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def stop(self):
        """Ends it as an operator would. Returns whether it ended in order."""
        if self.is_alive:
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode == 0


def audio_format(rate=RATE, channels=1):
    return audio_pb2.AudioFormat(
        encoding=audio_pb2.AUDIO_ENCODING_PCM_S16LE, sample_rate_hz=rate, channel_count=channels)


def start(session="", media_clock=False, reference=False, playback=False, **fields):
    """The first request of a session."""
    request = voice.ProcessRequest()
    request.start.session_id = session
    request.start.pacing = voice.PACING_MEDIA_CLOCK if media_clock else voice.PACING_REAL_TIME
    request.start.inputs.microphone.CopyFrom(audio_format())
    request.start.outputs.processed.CopyFrom(audio_format())
    if reference:
        request.start.inputs.reference.CopyFrom(audio_format())
    if playback:
        request.start.inputs.far_end.CopyFrom(audio_format())
        request.start.outputs.playback.CopyFrom(audio_format())
    request.start.config.voice_activity_detection.enabled = True
    for key, value in fields.items():
        request.start.labels[key] = value
    return request.SerializeToString()


def audio(samples, first=None, reference=None):
    """A request with microphone samples, as bytes."""
    request = voice.ProcessRequest()
    request.audio.microphone.samples = samples
    if first is not None:
        request.audio.microphone.first_sample = first
    if reference is not None:
        request.audio.reference.samples = reference
    return request.SerializeToString()


def noise(frames, seed, level=3000):
    """Frames of 10 ms that swell and fade as speech does, the same ones for a seed."""
    generator = random.Random(seed)
    frames_of_bytes, last = [], 0.0
    for index in range(frames):
        loudness = level * (0.1 + abs((index % 60) - 30) / 30)
        samples = array.array("h")
        for _ in range(FRAME):
            last = 0.7 * last + generator.uniform(-1, 1)
            samples.append(max(-32768, min(32767, int(last * loudness))))
        frames_of_bytes.append(samples.tobytes())
    return frames_of_bytes


def name(session):
    return f"sessions/{session}"


def set_mute(session, muted):
    return sessions_pb2.SetMuteRequest(name=name(session), muted=muted).SerializeToString()


def delete(session):
    return sessions_pb2.DeleteSessionRequest(name=name(session)).SerializeToString()


def watch(session):
    return sessions_pb2.WatchSessionRequest(name=name(session)).SerializeToString()


def record(session, wait_ms):
    request = recording_pb2.RecordSessionRequest(name=name(session))
    request.wait.FromMilliseconds(wait_ms)
    return request.SerializeToString()


def injection(session, rate=None):
    """The start of an injection of text, or of audio at this sample rate."""
    request = sessions_pb2.InjectSpeechRequest()
    request.start.name = name(session)
    if rate:
        request.start.format.CopyFrom(audio_format(rate))
    return request.SerializeToString()


def injection_text(text):
    return sessions_pb2.InjectSpeechRequest(text=text).SerializeToString()


def injection_audio(samples):
    request = sessions_pb2.InjectSpeechRequest()
    request.audio.samples = samples
    return request.SerializeToString()


def register(machine, group=""):
    """The first request of a machine to the arbiter."""
    request = routing_pb2.ArbitrateRequest()
    request.register.machine, request.register.group = machine, group
    return request.SerializeToString()


def activity(headsets, media=False):
    request = routing_pb2.ArbitrateRequest()
    request.activity.headsets.extend(headsets)
    request.activity.media_playing = media
    return request.SerializeToString()
