"""WAV files, the command, the blocking face, and the quick start of README."""

import inspect
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import threading
import wave

import numpy as np
import pytest
from conftest import PROJECT, level

import anechoic
from anechoic import Format


def python(*arguments, cwd, **variables):
    """Runs Python with the package."""
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "clients/python/src"), **variables}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)


def test_the_quick_start_of_the_readme_runs(server, sample, tmp_path):
    text = (PROJECT / "clients/python/README.md").read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    assert len([line for line in program.splitlines() if line]) <= 10
    (tmp_path / "sample").mkdir()
    for name in ("microphone", "reference"):
        recording = anechoic.Recording.read(sample / f"{name}.wav")
        anechoic.Recording(recording.format, recording.samples[:80000]).write(tmp_path / f"sample/{name}.wav")
    done = python("-c", program.replace("127.0.0.1:50051", server), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "the echo was delayed by 33 ms\n"
    mic, voice = (anechoic.Recording.read(tmp_path / name).samples for name in ("sample/microphone.wav", "voice.wav"))
    assert len(voice) == len(mic) and level(mic, 2, 5) - level(voice, 2, 5) > 20


@pytest.mark.parametrize("width, step", [(2, 1 / 32768), (3, 2**-23), (4, 2**-23)])
@pytest.mark.parametrize("channels", [1, 2])
def test_wav_files_of_all_widths_are_read_and_written(tmp_path, width, step, channels):
    ints = np.random.default_rng(1).integers(-2**(8 * width - 1), 2**(8 * width - 1), (500, channels))
    with wave.open(str(tmp_path / "a.wav"), "wb") as file:
        file.setparams((channels, width, 16000, 0, "NONE", ""))
        file.writeframes(ints.astype("<i4").reshape(-1, 1).view(np.uint8)[:, :width].tobytes())
    recording = anechoic.Recording.read(tmp_path / "a.wav")
    assert recording.format == Format(16000, channels, "s16" if width == 2 else "f32")
    scale = 1 if width == 2 else 2.0 ** (1 - 8 * width)
    assert np.allclose(recording.samples.reshape(500, channels), ints * scale, atol=1e-7)
    recording.write(tmp_path / "b.wav")
    again = anechoic.Recording.read(tmp_path / "b.wav")
    assert again.format == recording.format and np.allclose(again.samples, recording.samples, atol=step)


@pytest.mark.parametrize("encoding, step", [("s16", 1 / 32768), ("opus", 1 / 32768), ("f32", 2**-23)])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("given", ["int16", "float32", "float64"])
def test_arrays_of_another_type_are_converted_when_they_are_written(tmp_path, encoding, step, channels, given):
    floats = np.sin(np.arange(800) * 0.1).reshape((-1, channels) if channels == 2 else -1) * 0.9
    samples = (floats * 32768).astype(np.int16) if given == "int16" else floats.astype(given)
    anechoic.Recording(Format(16000, channels, encoding), samples).write(tmp_path / "a.wav")
    found = anechoic.Recording.read(tmp_path / "a.wav")
    assert found.format == Format(16000, channels, "f32" if encoding == "f32" else "s16")
    values = found.samples if encoding == "f32" else found.samples / 32768
    assert values.shape == floats.shape and abs(values - floats).max() <= max(step, given == "int16" and 1 / 32768)


def test_arrays_that_do_not_fit_are_not_written(tmp_path):
    for format, samples in (
        (Format(16000), np.zeros((10, 2), np.int16)), (Format(16000, 2), np.zeros(10, np.int16)),
        (Format(16000), np.zeros(10, np.int32)), (Format(16000), b"ab"),
    ):
        with anechoic.WavWriter(tmp_path / "a.wav", format) as file:
            with pytest.raises(anechoic.FormatError, match="samples"):
                file.write(samples)
        assert len(anechoic.Recording.read(tmp_path / "a.wav").samples) == 0


def test_other_files_are_refused_in_one_line(tmp_path):
    (tmp_path / "bits.wav").write_bytes(wav(b"", bits=20))
    with pytest.raises(anechoic.FormatError, match="bits.wav: 20 bits are not supported; use 8, 16, 24 or 32"):
        anechoic.Recording.read(tmp_path / "bits.wav")
    with wave.open(str(tmp_path / "rate.wav"), "wb") as file:
        file.setparams((1, 2, 22050, 0, "NONE", ""))
    with pytest.raises(anechoic.FormatError, match="rate.wav: rate: 22050 is not supported"):
        anechoic.Recording.read(tmp_path / "rate.wav")
    (tmp_path / "text.wav").write_text("This is no sound.")
    with pytest.raises(anechoic.FormatError, match="text.wav: the file is not a WAV file"):
        anechoic.Recording.read(tmp_path / "text.wav")
    for cut in (0, 11, 30, 40):
        (tmp_path / "cut.wav").write_bytes((tmp_path / "rate.wav").read_bytes()[:cut])
        with pytest.raises(anechoic.FormatError, match="cut.wav: the file is not a WAV file"):
            anechoic.Recording.read(tmp_path / "cut.wav")


def wav(content, kind=1, bits=16, claimed=None, more=b""):
    """A WAV file with a header as other programs write it."""
    form = struct.pack("<HHIIHH", kind, 1, 16000, 2000 * bits, bits // 8, bits) + more
    size = len(content) if claimed is None else claimed
    return (b"RIFF\0\0\0\0WAVELIST\x03\0\0\0abc\0fmt " + struct.pack("<I", len(form)) + form + b"data"
            + struct.pack("<I", size) + content)


def test_headers_of_other_programs_are_read(tmp_path):
    ints, floats = np.arange(-50, 50, dtype="<i2"), np.linspace(-1, 1, 100, dtype="<f4")
    extension = struct.pack("<HHIH", 22, 16, 4, 1) + bytes.fromhex("000000001000800000aa00389b71")
    path = tmp_path / "a.wav"
    for content in (wav(ints.tobytes()), wav(ints.tobytes(), kind=0xFFFE, more=extension),
                    *(wav(ints.tobytes(), claimed=size) for size in (0, 0x7FFFF000, 0x80000000, 0xFFFFFFFF))):
        path.write_bytes(content)
        assert np.array_equal(anechoic.Recording.read(path).samples, ints)
    path.write_bytes(wav(floats.tobytes(), kind=3, bits=32))
    assert np.array_equal(anechoic.Recording.read(path).samples, floats)
    path.write_bytes(wav(ints.tobytes(), claimed=10**9))
    with pytest.raises(anechoic.FormatError, match="the file is cut off: it has 200 of 1000000000 bytes"):
        anechoic.Recording.read(path)
    path.write_bytes(wav(b"\0\0\xc0\x7f" * 100, kind=3, bits=32))
    with pytest.raises(anechoic.FormatError, match="not a finite number"):
        anechoic.Recording.read(path)


@pytest.mark.parametrize("size", [None, 0xFFFFFFFF])
@pytest.mark.parametrize("kind, bits, values", [
    (1, 8, np.arange(256, dtype="u1")), (1, 16, np.arange(-50, 50, dtype=">i2")),
    (1, 32, (np.arange(100) << 24).astype(">i4")),
    (3, 32, np.linspace(-1, 1, 100, dtype=">f4")), (3, 64, np.linspace(-1, 1, 100, dtype=">f8")),
])
def test_files_of_bytes_and_of_big_endian_programs_are_read(tmp_path, kind, bits, values, size):
    """The same samples in both byte orders, also with a size that a pipe leaves open."""
    scale = 1 if kind == 3 or bits == 16 else 2.0 ** (1 - bits)
    want = (values.astype(float) - (128 if bits == 8 else 0)) * scale
    little = values.astype(values.dtype.newbyteorder("<"))
    form = struct.pack(">HHIIHH", kind, 1, 16000, 2000 * bits, bits // 8, bits)
    big = (b"RIFX" + struct.pack(">I", 36 + values.nbytes) + b"WAVEfmt " + struct.pack(">I", 16) + form + b"data"
           + struct.pack(">I", values.nbytes if size is None else size) + values.tobytes())
    for content in (wav(little.tobytes(), kind=kind, bits=bits, claimed=size), big):
        (tmp_path / "a.wav").write_bytes(content)
        recording = anechoic.Recording.read(tmp_path / "a.wav")
        assert recording.format.encoding == ("s16" if bits == 16 else "f32")
        assert np.allclose(recording.samples, want, atol=1e-6)


def test_big_endian_samples_of_24_bits_are_read(tmp_path):
    form = struct.pack(">HHIIHH", 1, 2, 16000, 96000, 6, 24)
    content = b"".join(value.to_bytes(3, "big", signed=True) for value in (1, -1, 1 << 22, -(1 << 23)))
    head = b"RIFX\0\0\0\0WAVEfmt " + struct.pack(">I", 16) + form + b"data" + struct.pack(">I", len(content))
    (tmp_path / "a.wav").write_bytes(head + content)
    samples = anechoic.Recording.read(tmp_path / "a.wav").samples
    assert np.array_equal(samples * 2**23, [[1, -1], [1 << 22, -(1 << 23)]])


def test_chunks_behind_a_file_without_samples_are_no_samples(tmp_path):
    content = wav(b"") + b"LIST\x04\0\0\0INFO"
    path = tmp_path / "a.wav"
    for tag in (b"", b"TAG of another program"):
        path.write_bytes(b"RIFF" + struct.pack("<I", len(content) - 8) + content[8:] + tag)
        assert len(anechoic.Recording.read(path).samples) == 0


def test_a_file_of_the_format_for_more_than_4_gib_is_read(tmp_path):
    ints = np.arange(-50, 50, dtype="<i2")
    path = tmp_path / "a.wav"

    def write(size, whole=0, samples=ints.tobytes(), rest=b""):
        sizes = b"ds64" + struct.pack("<IQQQI", 28, whole, size, size // 2, 0)
        content = wav(samples, claimed=0xFFFFFFFF)[12:] + rest
        path.write_bytes(b"RF64\xff\xff\xff\xffWAVE" + sizes + content)

    for size in (200, 100):
        write(size)
        assert np.array_equal(anechoic.Recording.read(path).samples, ints[: size // 2])
    for size in (300, 3 << 30, 5 << 30):
        write(size)
        with pytest.raises(anechoic.FormatError, match=f"the file is cut off: it has 200 of {size} bytes"):
            anechoic.Recording.read(path)
    # A program that writes to a pipe leaves the size open.
    for size in (0, 2**64 - 1):
        write(size)
        assert np.array_equal(anechoic.Recording.read(path).samples, ints)
    write(0, whole=len(path.read_bytes()) - 200 + 12 - 8, samples=b"", rest=b"LIST\x04\0\0\0INFO")
    assert len(anechoic.Recording.read(path).samples) == 0


def test_a_file_that_breaks_off_in_the_middle_ends_the_session(server, tmp_path):
    samples = np.zeros(32000, "<f4")
    samples[30000] = np.nan
    (tmp_path / "nan.wav").write_bytes(wav(samples.tobytes(), kind=3, bits=32))
    with pytest.raises(anechoic.FormatError, match="nan.wav: a sample is not a finite number"):
        anechoic.process_file(tmp_path / "nan.wav", tmp_path / "voice.wav", server=server)


def test_an_input_is_never_overwritten(server, sample, tmp_path):
    for name in ("microphone", "reference"):
        shutil.copy(sample / f"{name}.wav", tmp_path)
    (tmp_path / "link.wav").symlink_to("microphone.wav")
    for output in ("microphone.wav", "reference.wav", "link.wav"):
        with pytest.raises(anechoic.InvalidRequest, match="is also an input"):
            anechoic.process_file(tmp_path / "microphone.wav", tmp_path / output,
                                  reference=tmp_path / "reference.wav", server=server)
    assert (tmp_path / "microphone.wav").read_bytes() == (sample / "microphone.wav").read_bytes()


def test_a_shorter_reference_of_another_rate_is_continued_with_silence(server, tmp_path, sample, reference):
    ref = anechoic.Recording(Format(8000), np.ascontiguousarray(reference.samples[:160000:2]))
    ref.write(tmp_path / "ref.wav")
    events = []
    done = anechoic.process_file(
        sample / "microphone.wav", tmp_path / "voice.wav", reference=tmp_path / "ref.wav", server=server,
        on_event=events.append)
    assert (done.samples, done.lost_samples) == (320000, 0)
    assert any(isinstance(event, anechoic.events.EchoPathChanged) for event in events)


def test_the_command_processes_a_file(server, sample, tmp_path):
    done = python("-m", "anechoic", "process", str(sample / "microphone.wav"), "--reference",
                  str(sample / "reference.wav"), "voice.wav", "--server", server, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].endswith("voice started") and lines[-1] == "20.00 s written to voice.wav" and not done.stderr
    mic, voice = (anechoic.Recording.read(path).samples for path in (sample / "microphone.wav", tmp_path / "voice.wav"))
    assert level(mic, 3, 8) - level(voice, 3, 8) > 20


def test_the_command_starts_a_server_if_there_is_none(sample, tmp_path):
    # A network of its own has no server on 127.0.0.1:50051.
    isolated = ["unshare", "--user", "--net"] if os.geteuid() else ["unshare", "--net"]
    command = [*isolated, sys.executable, "-m", "anechoic", "process", str(sample / "microphone.wav"), "voice.wav"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "clients/python/src")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.startswith("echo reduction: not possible without"), done.stderr
    assert anechoic.Recording.read(tmp_path / "voice.wav").samples.any()
    missing = subprocess.run(command, cwd=tmp_path, env={**environment, "ANECHOIC_SERVER": "/no/server"},
                             capture_output=True, text=True)
    assert missing.returncode == 2
    assert missing.stderr.startswith("anechoic: /no/server: not found; install") and missing.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments, code, words", [
    (["process", "nowhere.wav", "x.wav"], 2, "anechoic: nowhere.wav: No such file or directory"),
    (["process", "MIC", "x.wav", "--server", "127.0.0.1:1"], 2, "anechoic: 127.0.0.1:1: UNAVAILABLE"),
    (["process", "MIC", "no/folder.wav", "--server", "SERVER"], 2, "anechoic: no/folder.wav: No such file"),
    (["process", "MIC", "/dev/full", "--server", "SERVER"], 2, "anechoic: /dev/full: No space left on device"),
    (["process", "MIC", "x.wav", "--tls", "--server", "SERVER"], 2, "anechoic: SERVER: UNAVAILABLE"),
    (["process", "MIC"], 64, "python -m anechoic process: the following arguments are required"),
    (["listen"], 64, "python -m anechoic: argument COMMAND: invalid choice"),
])
def test_a_failure_is_one_line(server, sample, tmp_path, arguments, code, words):
    known = {"MIC": str(sample / "microphone.wav"), "SERVER": server}
    done = python("-m", "anechoic", *[known.get(each, each) for each in arguments], cwd=tmp_path)
    assert done.returncode == code
    assert done.stderr.startswith(words.replace("SERVER", server)) and done.stderr.count("\n") == 1


@pytest.mark.parametrize("stop, code", [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_command_that_is_stopped_stops_its_server(sample, tmp_path, stop, code):
    isolated = ["unshare", "--user", "--net"] if os.geteuid() else ["unshare", "--net"]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT / "clients/python/src"), "TMPDIR": str(tmp_path)}
    command = [*isolated, sys.executable, "-m", "anechoic", "process", str(sample / "microphone.wav"),
               str(tmp_path / "voice.wav"), "--real-time"]
    # A shell that started these tests in the background may have had SIGINT ignored.
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    assert process.stdout.readline().endswith("voice started\n")
    process.send_signal(stop)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, errors) == (code, "")
    # The server's folder is gone, and with it its socket.
    assert not list(tmp_path.glob("anechoic-*"))


def test_a_blocking_session_may_be_left_at_any_time(server):
    session = anechoic.blocking.Session(server, microphone=Format(16000))
    with pytest.raises(anechoic.Refused, match="not open"):
        session.feed(b"ab")
    threads = threading.active_count()
    with session:
        for _ in session.process(np.zeros(160000)):
            break
        assert session.delay > 0
    assert threading.active_count() == threads
    for use in (lambda: session.read(1), session.__enter__, lambda: next(iter(session))):
        with pytest.raises(anechoic.Refused):
            use()


@pytest.mark.parametrize("name", ["Session", "Sessions"])
def test_a_blocking_class_has_what_the_other_one_has(name):
    own = {"open", "close", "feed_nowait", "read_nowait"}  # Of the asyncio class: a with statement opens and closes.
    waiting, blocking = getattr(anechoic, name), getattr(anechoic.blocking, name)
    names = {each for each in dir(waiting) if not each.startswith("_")} - own
    assert names <= {*dir(blocking)}
    for method in (each for each in names if callable(getattr(waiting, each))):
        wanted, given = (inspect.signature(getattr(each, method)).parameters for each in (waiting, blocking))
        assert {name: each.default for name, each in wanted.items()} == {
            name: each.default for name, each in given.items()}, method


def test_a_script_steers_its_session(server):
    mono = Format(16000)
    with anechoic.blocking.Session(
        server, microphone=mono, far_end=mono, playback=mono, real_time=False, enroll_voice=True
    ) as session:
        session.feed(np.zeros(16000), far_end=np.zeros(16000))
        session.read(8000)
        session.report_route(None)
        assert session.clear_playback() >= 8000 and session.set_voiceprint(b"") >= 8000
        assert session.mute(at_sample=8000) >= 8000
        session.feed(np.zeros(16000), far_end=np.zeros(16000))
        session.finish()
        list(session)
        kinds = {type(each) for each in session.events()}
    assert {anechoic.events.RouteChanged, anechoic.MuteChanged} <= kinds
    assert session.join_token == session.voiceprint == b"" and not session.is_connected


def test_scripts_need_no_event_loop(server, microphone, reference):
    options = {"microphone": Format(16000), "reference": Format(16000), "real_time": False}
    with anechoic.blocking.Session(server, session_id="script", **options) as session:
        with anechoic.blocking.Sessions(server, client="other script") as sessions:
            assert "script" in [each.id for each in sessions.list()]
            assert sessions.mute("script").actor == "other script"
            assert not sessions.unmute("script").muted
        session.feed(microphone.samples[:16000], reference.samples[:16000])
        first = session.read(8000)
        session.finish()
        rest = sum(len(output.samples) for output in session)
        assert isinstance(list(session.events())[-1], anechoic.SessionFinished)
    assert len(first) + rest == 16000
    with pytest.raises(anechoic.ServerUnavailable):
        with anechoic.blocking.Session("127.0.0.1:1", microphone=Format(16000)):
            pass


@pytest.mark.parametrize("address", ["x", "", "http://127.0.0.1:1", "127.0.0.1:99999"])
def test_a_malformed_address_is_wrong_usage(tmp_path, address):
    done = python("-m", "anechoic", "process", "in.wav", "x.wav", "--server", address, cwd=tmp_path)
    words = f"python -m anechoic process: argument --server: {address!r} is not an address; use HOST:PORT, [IPv6]:PORT"
    assert done.returncode == 64 and done.stderr.startswith(words) and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("arguments, words", [
    (["MIC", "x.wav", "--server", "unix:/no/such.sock"], "anechoic: unix:/no/such.sock: UNAVAILABLE"),
    (["MIC", "x.wav", "--server", "no-such-host.invalid:1"], "anechoic: no-such-host.invalid:1: UNAVAILABLE"),
    (["MIC", "x.wav", "--server", "SERVER", "--token-file", "none"], "anechoic: token file none: No such file"),
    (["MIC", "x.wav", "--server", "SERVER", "--token-file", ""], "anechoic: token file .: Is a directory"),
    (["MIC", "x.wav", "--server", "SERVER", "--ca-file", "none"], "anechoic: ca_file: none: No such file"),
    (["MIC", "x.wav", "--server", "SERVER", "--ca-file", "MIC"], "anechoic: ca_file: MIC: the file contains no cert"),
    (["MIC", "x.wav", "--server", "SERVER", "--key", "MIC"], "anechoic: certificate_file and key_file: both"),
    (["FOLDER", "x.wav", "--server", "SERVER"], "anechoic: FOLDER: Is a directory"),
    (["MIC", "FOLDER", "--server", "SERVER"], "anechoic: FOLDER: Is a directory"),
    (["MIC", "x.mp3", "--server", "SERVER"], "anechoic: x.mp3: the file name must end in .wav"),
    (["MIC", "text.mp3", "--server", "SERVER"], "anechoic: text.mp3: the file name must end in .wav"),
    (["MIC", "FIFO", "--server", "SERVER"], "anechoic: FIFO: no program reads this pipe"),
    (["MIC", "MIC", "--server", "SERVER"], "anechoic: MIC: this file is also an input"),
    (["MIC", "x.wav", "--reference", "none.wav", "--server", "SERVER"], "anechoic: none.wav: No such file"),
    (["rate.wav", "x.wav", "--server", "SERVER"], "anechoic: rate.wav: rate: 22050 is not supported; use 8000"),
    (["MIC", "x.wav", "--reference", "rate.wav", "--server", "SERVER"], "anechoic: rate.wav: rate: 22050 is not"),
    (["channels.wav", "x.wav", "--server", "SERVER"], "anechoic: channels.wav: channels: 6 is not supported; use 1 or"),
    (["empty.wav", "x.wav", "--server", "SERVER"], "anechoic: empty.wav: the file contains no samples"),
    (["text.wav", "x.wav", "--server", "SERVER"], "anechoic: text.wav: the file is not a WAV file"),
])
def test_a_wrong_file_or_address_is_one_line(server, sample, tmp_path, arguments, words):
    known = {"MIC": str(sample / "microphone.wav"), "SERVER": server, "FOLDER": str(tmp_path),
             "FIFO": str(tmp_path / "fifo")}
    os.mkfifo(tmp_path / "fifo")  # Nobody reads it.
    for name, channels, rate, count in (("rate", 1, 22050, 9), ("channels", 6, 16000, 9), ("empty", 1, 16000, 0)):
        with wave.open(str(tmp_path / f"{name}.wav"), "wb") as file:
            file.setparams((channels, 2, rate, 0, "NONE", ""))
            file.writeframes(bytes(2 * channels * count))
    for name in ("text.wav", "text.mp3"):
        (tmp_path / name).write_text("This is no sound.")
    done = python("-m", "anechoic", "process", *[known.get(each, each) for each in arguments], cwd=tmp_path)
    for name, value in known.items():
        words = words.replace(name, value)
    assert done.returncode == 2 and done.stderr.startswith(words) and done.stderr.count("\n") == 1, done.stderr
    assert not [*tmp_path.glob("x.*")] and (tmp_path / "text.mp3").read_text() == "This is no sound."


def test_a_recording_can_go_to_a_pipe_that_is_read(server, sample, tmp_path):
    os.mkfifo(tmp_path / "fifo")
    heard = []
    reader = threading.Thread(target=lambda: heard.append((tmp_path / "fifo").read_bytes()))
    reader.start()
    done = python("-m", "anechoic", "process", str(sample / "microphone.wav"), "fifo", "--server", server, cwd=tmp_path)
    reader.join()
    assert done.returncode == 0, done.stderr
    with wave.open(str(sample / "microphone.wav")) as file:
        assert len(heard[0]) > 2 * file.getnframes()
