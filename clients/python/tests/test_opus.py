"""Sessions whose audio is Opus on the network."""

import ctypes

import numpy as np
import pytest
from conftest import collect, in_loop, level

import anechoic
from anechoic import Format, _opus

OPUS = Format(16000, encoding="opus")


def lag(output, sound, limit):
    """The samples by which an output is behind a sound."""
    sound = sound.astype(float)
    products = [np.dot(sound[: len(output) - shift], output[shift:][: len(sound)]) for shift in range(limit)]
    return int(np.argmax(products))


@in_loop
async def test_the_echo_is_removed_and_the_length_is_kept(server, microphone, reference):
    mic, ref = microphone.samples[:160_123], reference.samples[:160_123]
    async with anechoic.Session(server, microphone=OPUS, reference=OPUS, real_time=False) as session:
        voice = np.concatenate([part.samples async for part in session.process(mic, ref)])
    assert len(voice) == len(mic) and voice.dtype == np.int16
    assert level(mic, 3, 8) - level(voice, 3, 8) > 15


@in_loop
async def test_the_delay_includes_the_encoder(server, microphone):
    settings = {"voice_processing.bypassed": True}
    mic = microphone.samples[:64_000]

    async def run(format):
        async with anechoic.Session(
            server, microphone=Format(16000), processed=format, real_time=False, settings=settings
        ) as session:
            await session.feed(mic)
            await session.finish()
            return await collect(session), round(session.delay * 16000)

    voice, delay = await run(Format(16000, encoding="opus", bit_rate=64000, fec=True))
    _, plain = await run(Format(16000))
    assert delay == plain + 104  # 6.5 ms
    assert abs(lag(voice.astype(float), mic, 1000) - delay) <= 1


@in_loop
async def test_inputs_and_outputs_may_differ(server, microphone, reference):
    mic, ref = microphone.samples[:32_000], reference.samples[:32_000]
    async with anechoic.Session(
        server, microphone=Format(16000), far_end=OPUS, playback=Format(48000, channels=2, encoding="opus"),
        real_time=False, chunk=0.06,
    ) as session:
        await session.feed(mic, far_end=ref)
        await session.finish()
        parts = [part async for part in session]
    assert sum(len(part.samples) for part in parts) == 32_000
    playback = np.concatenate([part.playback for part in parts])
    assert playback.shape == (96_000, 2)
    assert level(playback[::3, 0], 0, 2) > level(ref, 0, 2) - 3


@in_loop
async def test_a_microphone_in_real_time(server, microphone):
    async with anechoic.Session(server, microphone=OPUS) as session:
        voice = np.concatenate([part.samples async for part in session.process(microphone.samples[:16_000])])
    assert len(voice) == 16_000


@in_loop
async def test_what_opus_does_not_have_is_refused(server):
    for rate in (32000, 44100):
        with pytest.raises(anechoic.FormatError, match="with Opus"):
            Format(rate, encoding="opus")
    with pytest.raises(anechoic.FormatError, match="bit_rate: 5 "):
        Format(16000, encoding="opus", bit_rate=5)
    with pytest.raises(anechoic.FormatError, match="complexity: 11 "):
        Format(16000, encoding="opus", complexity=11)
    with pytest.raises(anechoic.FormatError, match="only for encoding='opus'"):
        Format(16000, fec=True)
    with pytest.raises(anechoic.InvalidRequest, match="chunk: 0.1 is not supported with Opus"):
        async with anechoic.Session(server, microphone=OPUS, chunk=0.1):
            pass


@in_loop
async def test_a_system_without_libopus_is_told_what_to_install(server, monkeypatch):
    def load(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", load)
    _opus._library.cache_clear()
    try:
        with pytest.raises(anechoic.FormatError, match="apt-get install libopus0") as failure:
            async with anechoic.Session(server, microphone=OPUS):
                pass
        assert failure.value.reason == "LIBOPUS_MISSING"
    finally:
        monkeypatch.undo()
        _opus._library.cache_clear()
