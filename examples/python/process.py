"""Sends recordings through Anechoic and keeps the processed microphone."""

import argparse
import random
import sys
import threading
import time
import uuid
import wave
from pathlib import Path

import grpc
from google.protobuf.message import DecodeError

GENERATED = Path(__file__).parent / "generated"
if not GENERATED.is_dir():
    sys.exit(f"error: {GENERATED} is missing; run examples/python/generate first")
sys.path.insert(0, str(GENERATED))
from anechoic.v1 import audio_pb2, voice_processing_pb2 as api, voice_processing_pb2_grpc
from google.rpc import error_details_pb2, status_pb2

CHUNKS_PER_SECOND = 50  # a chunk is 20 ms
SHORTEST_DELAY, LONGEST_DELAY = 0.1, 0.5  # between two attempts, in seconds
AWAY, LONGEST_DELAY_LATER = 60.0, 5.0  # once the server has been away for a minute
LONGEST_OUTAGE = 60.0  # without any server, in seconds, after the session is gone
LONGEST_NAMED_DELAY = 60.0  # that a server can ask for
SHORT_SESSION = 1.0  # Two sessions that were lost as soon, one after another, are no reason to hurry.
LOST_CONNECTION = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.DEADLINE_EXCEEDED,
}
REFUSED_FOR_GOOD = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.UNIMPLEMENTED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
}
STOPPING = {"DRAINING", "SERVER_SHUTDOWN"}  # The server stops: a new session follows at once.
UNKNOWN_SESSION = {"RESUME_TOKEN_UNKNOWN", "TOO_MANY_RESUMES"}  # There is no session to resume.


def audio_format(recording):
    """Returns the format of an open WAV file, which must be 16-bit PCM."""
    if recording.getsampwidth() != 2:
        raise wave.Error("the file is not a 16-bit WAV file")
    return audio_pb2.AudioFormat(
        encoding=audio_pb2.AUDIO_ENCODING_PCM_S16LE,
        sample_rate_hz=recording.getframerate(),
        channel_count=recording.getnchannels(),
    )


def start(microphone, reference):
    """Returns the request that opens a session: the formats of its inputs and outputs."""
    request = api.Start(pacing=api.PACING_MEDIA_CLOCK)
    request.config.voice_activity_detection.enabled = True
    request.inputs.microphone.CopyFrom(audio_format(microphone))
    request.outputs.processed.CopyFrom(audio_format(microphone))
    if reference:
        request.inputs.reference.CopyFrom(audio_format(reference))
    return request


def next_audio(microphone, reference, base):
    """Returns the next chunk of both recordings, or None at the microphone's end.

    A reference that ends earlier is continued with silence. Every chunk has its index, so that the
    server recognizes a chunk that comes twice. `base` is the sample of the file with which the session
    began.
    """
    request = api.ProcessRequest()
    index = microphone.tell() - base
    request.audio.microphone.samples = microphone.readframes(microphone.getframerate() // CHUNKS_PER_SECOND)
    request.audio.microphone.first_sample = index
    if not request.audio.microphone.samples:
        return None
    if reference:
        count = reference.getframerate() // CHUNKS_PER_SECOND
        whole_chunk_bytes = count * reference.getnchannels() * 2
        request.audio.reference.samples = reference.readframes(count).ljust(whole_chunk_bytes, b"\0")
        request.audio.reference.first_sample = index * reference.getframerate() // microphone.getframerate()
    return request


def voice_activity(event, base, sample_rate):
    """One line: when the near end started or stopped talking, and when the server decided so.

    Both times are positions in the microphone's file, in seconds. The decision comes later: the server
    waits to see whether the voice goes on.
    """
    change = event.voice_activity_changed
    what = "started" if change.active else "ended"
    happened = (base + change.began_at_sample) / sample_rate
    decided = (base + event.microphone_sample) / sample_rate
    return f"{happened:.2f} s  voice {what} (decided at {decided:.2f} s)"


class Session:
    """A session that goes on when its connection is lost, with the same echo path and mute state."""

    def __init__(self, microphone, reference, processed):
        self.microphone, self.reference, self.processed = microphone, reference, processed
        self.id = uuid.uuid4().hex
        self.token = b""
        self.window = 0.0
        self.last_event_id = 0
        self.base = 0  # the sample of the files with which the session began
        self.is_connected = False
        self.began = 0.0
        self.lock = threading.Lock()
        self.latest_call = 0

    def run(self, servers):
        """Runs the session to its end. Throws the error if neither it nor a new session can go on."""
        lost_at, delay, was_short, is_short = None, SHORTEST_DELAY, False, False
        while True:
            try:
                return self.call(servers[0])
            except grpc.RpcError as error:
                now = time.monotonic()
                reason, named_delay = details(error)
                if self.is_connected:
                    if reason not in STOPPING and not was_connection_lost(error):
                        raise
                    lost_at, was_short, is_short = now, is_short, now - self.began < SHORT_SESSION
                    if not (was_short and is_short):
                        delay = SHORTEST_DELAY
                    self.is_connected = False
                    print(f"connection lost ({error.code().name}), resuming the session", flush=True)
                elif lost_at is None or error.code() in REFUSED_FOR_GOOD:
                    raise
                away = now - lost_at
                if away > self.window + LONGEST_OUTAGE:
                    raise
                server = servers[0]
                if self.token and (reason in (*STOPPING, *UNKNOWN_SESSION) or away > self.window):
                    self.begin_anew()
                    servers.append(servers.pop(0))
                    if not (was_short and is_short):
                        continue
                elif reason == "SESSION_EXISTS":
                    self.id = uuid.uuid4().hex
                elif not self.token:
                    servers.append(servers.pop(0))
                if servers[0] != server:
                    named_delay = 0.0  # Another server has not named it.
            time.sleep(max(delay * random.uniform(0.7, 1.3), named_delay * random.uniform(1.0, 1.3)))
            delay = min(2 * delay, LONGEST_DELAY if away < AWAY else LONGEST_DELAY_LATER)

    def begin_anew(self):
        """Prepares a new session that continues where the output of the lost one ends, with the same id."""
        self.token = b""
        self.last_event_id = 0
        self.base = self.processed.tell()
        with self.lock:
            self.latest_call += 1
            self.move_files(0)
        print(f"the session is gone, a new one begins at sample {self.base}", flush=True)

    def move_files(self, sample):
        """Moves both files to a sample of the session's microphone."""
        sample += self.base
        self.microphone.setpos(min(sample, self.microphone.getnframes()))
        if self.reference:
            sample = sample * self.reference.getframerate() // self.microphone.getframerate()
            self.reference.setpos(min(sample, self.reference.getnframes()))

    def start(self):
        """Returns the start of the session, or of its continuation."""
        first = start(self.microphone, self.reference)
        first.session_id = self.id
        if self.token:
            first.resume_token = self.token
            first.resume_point.last_event_id = self.last_event_id
            first.resume_point.processed_samples = self.processed.tell() - self.base
        return first

    def call(self, server):
        """Sends and receives until the session ends or its connection is lost."""
        is_started = threading.Event()
        with self.lock:
            self.latest_call += 1
        # A proxy in front of several servers sends all calls about one session to the same server.
        metadata = (("anechoic-session", self.id),)
        with grpc.insecure_channel(server) as channel:
            service = voice_processing_pb2_grpc.VoiceProcessingServiceStub(channel)
            sending = self.requests(self.latest_call, self.start(), is_started)
            try:
                for response in service.Process(sending, metadata=metadata):
                    if response.HasField("started"):
                        self.note(response.started)
                        is_started.set()
                    elif response.HasField("audio"):
                        self.write(response.audio.processed)
                    elif response.HasField("event"):
                        self.last_event_id = response.event.event_id
                        if response.event.HasField("voice_activity_changed"):
                            rate = self.microphone.getframerate()
                            print(voice_activity(response.event, self.base, rate), flush=True)
            finally:
                is_started.set()

    def requests(self, call, first, is_started):
        """Yields the start, and then the recordings. The requests of an older call end at once."""
        yield api.ProcessRequest(start=first)
        is_started.wait()  # The server says where the session goes on, and the files move there.
        while True:
            with self.lock:
                request = self.next_request(call)
            if request is None:
                return
            yield request

    def next_request(self, call):
        if call != self.latest_call:
            return None
        return next_audio(self.microphone, self.reference, self.base)

    def note(self, started):
        """Notes how the session can be resumed, and moves the files to where it goes on."""
        self.is_connected, self.began = True, time.monotonic()
        self.token = started.resume_token
        self.window = started.resume_window.ToTimedelta().total_seconds()
        with self.lock:  # An attempt that was refused may have moved the files.
            self.move_files(started.resumed.microphone_sample)
        if started.HasField("resumed"):
            resumed = started.resumed
            print(f"resumed at sample {resumed.microphone_sample}, {resumed.lost_samples} samples lost", flush=True)

    def write(self, chunk):
        """Writes the samples that are new, and silence in place of lost ones."""
        size = self.processed.getnchannels() * 2
        missing = self.base + chunk.first_sample - self.processed.tell()
        if missing > 0:
            self.processed.writeframesraw(bytes(missing * size))
        self.processed.writeframesraw(chunk.samples[max(0, -missing) * size :])


def was_connection_lost(error):
    """Whether the connection was lost. The server's own errors have details."""
    return error.code() in LOST_CONNECTION and not has_details(error)


def has_details(error):
    """Whether the server itself sent this status."""
    return status_bytes(error) is not None


def status_bytes(error):
    """Returns the status with details as bytes, or None."""
    return dict(error.trailing_metadata() or ()).get("grpc-status-details-bin")


def details(error):
    """Returns the reason of an error, and the seconds after which another attempt can succeed. "" and 0 if unknown."""
    reason, seconds = "", 0.0
    try:
        status = status_pb2.Status.FromString(status_bytes(error) or b"")
        for detail in status.details:
            info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
            if detail.Unpack(info):
                reason = info.reason
            elif detail.Unpack(retry):
                seconds = retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9
    except DecodeError:
        pass
    return reason, min(max(0.0, seconds), LONGEST_NAMED_DELAY)


def process(servers, microphone, reference, processed):
    """Runs one session with open WAV files. `processed` gets the microphone's format."""
    processed.setparams(microphone.getparams())
    Session(microphone, reference, processed).run(servers)
    print(f"{microphone.tell()} samples in, {processed.tell()} samples out")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--server", required=True, action="append", metavar="HOST:PORT", help="repeatable: the next ones take over"
    )
    parser.add_argument("--microphone", required=True, metavar="WAV", help="the recording of the microphone")
    parser.add_argument("--reference", metavar="WAV", help="the audio that the loudspeaker played at the same time")
    parser.add_argument("--output", required=True, metavar="WAV", help="the file to write the processed voice to")
    files = parser.parse_args()
    try:
        microphone = wave.open(files.microphone)
        reference = wave.open(files.reference) if files.reference else None
        with open(files.output, "wb") as output, wave.open(output) as processed:
            process(files.server, microphone, reference, processed)
    except grpc.RpcError as error:
        parser.exit(2, f"error: {error.code().name}: {error.details()}\n")
    except (OSError, EOFError, wave.Error) as error:
        parser.exit(2, f"error: {error}\n")


if __name__ == "__main__":
    main()
