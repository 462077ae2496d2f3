"""Sends recordings through Anechoic and keeps the processed microphone."""

import argparse
import sys
import wave
from pathlib import Path

import grpc

sys.path.insert(0, str(Path(__file__).parent / "generated"))
from anechoic.v1 import audio_pb2, voice_processing_pb2 as api, voice_processing_pb2_grpc

CHUNKS_PER_SECOND = 50  # a chunk is 20 ms


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


def requests(first, microphone, reference):
    """Yields the start, and then both recordings in parallel until the microphone's end.

    A reference that ends earlier is continued with silence.
    """
    yield api.ProcessRequest(start=first)
    while samples := microphone.readframes(microphone.getframerate() // CHUNKS_PER_SECOND):
        request = api.ProcessRequest()
        request.audio.microphone.samples = samples
        if reference:
            count = reference.getframerate() // CHUNKS_PER_SECOND
            samples = reference.readframes(count)
            whole_chunk_bytes = count * reference.getnchannels() * 2
            request.audio.reference.samples = samples.ljust(whole_chunk_bytes, b"\0")
        yield request


def voice_activity(event, sample_rate):
    """One line: when the near end started or stopped talking, and when the server decided so.

    Both times are positions in the microphone's file, in seconds. The decision comes later: the server
    waits to see whether the voice goes on.
    """
    change = event.voice_activity_changed
    what = "started" if change.active else "ended"
    happened = change.began_at_sample / sample_rate
    decided = event.microphone_sample / sample_rate
    return f"{happened:.2f} s  voice {what} (decided at {decided:.2f} s)"


def process(server, microphone, reference, processed):
    """Runs one session with open WAV files. `processed` gets the microphone's format."""
    processed.setparams(microphone.getparams())
    first = start(microphone, reference)
    with grpc.insecure_channel(server) as channel:
        service = voice_processing_pb2_grpc.VoiceProcessingServiceStub(channel)
        for response in service.Process(requests(first, microphone, reference)):
            if response.HasField("audio"):
                processed.writeframesraw(response.audio.processed.samples)
            elif response.HasField("event") and response.event.HasField("voice_activity_changed"):
                print(voice_activity(response.event, microphone.getframerate()), flush=True)
    print(f"{microphone.tell()} samples in, {processed.tell()} samples out")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, metavar="HOST:PORT")
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
