"""Named far ends, their places, and the listener's head."""

import asyncio
import math

import numpy as np
import pytest
from conftest import in_loop, level

import anechoic
from anechoic import Format, Source
from anechoic.events import AudioPort, AudioRoute

MONO, STEREO = Format(16000), Format(48000, channels=2)
HEADPHONES = AudioRoute(output=AudioPort(port_id="headset", headphones=True))
FAR_ENDS = {"alice": Format(16000), "bob": Format(48000)}
SECONDS = 3


async def playback_of(session):
    return np.concatenate([output.playback async for output in session if output.playback is not None])


def noise(rate, seed):
    return (3000 * np.random.default_rng(seed).standard_normal(rate // 50)).astype(np.int16)


async def ears(server, settings, speaker, turn=None):
    """Runs a call in which one far end speaks. Returns the levels of both ears in its second half, in dB."""
    session = anechoic.Session(
        server, microphone=MONO, far_ends=FAR_ENDS, playback=STEREO, real_time=False,
        settings={"spatial_audio.enabled": True, "spatial_audio.head_tracked": True,
                  "spatial_audio.early_reflections_disabled": True, **settings})
    async with session:
        session.report_route(HEADPHONES)
        reading = asyncio.create_task(playback_of(session))
        for number in range(SECONDS * 50):
            if turn is not None and number == 10:
                session.report_head_pose(**turn)
            silent = {name: np.zeros(format.rate // 50, np.int16) for name, format in FAR_ENDS.items()}
            await session.feed(np.zeros(320, np.int16), far_ends={
                **silent, speaker: noise(FAR_ENDS[speaker].rate, number)})
        await session.finish()
        playback = await reading
        assert session.statistics.spatial_audio_active
    return [level(playback[:, ear], SECONDS / 2, SECONDS - 0.1, 48000) for ear in range(2)]


@in_loop
async def test_each_far_end_is_heard_from_its_place(server):
    places = {"spatial_audio.sources": [Source("alice", azimuth=80), Source("bob", azimuth=-80, distance=2)]}
    left, right = await ears(server, places, "alice")
    assert left > right + 5
    far_left, far_right = await ears(server, places, "bob")
    assert far_right > far_left + 5
    assert far_right < left - 4  # Bob is twice as far away.


@pytest.mark.parametrize("turn", [
    {"yaw": 80}, {"quaternion": (math.cos(math.radians(40)), 0, 0, math.sin(math.radians(40)))}])
@in_loop
async def test_a_turned_head_hears_from_the_other_side(server, turn):
    left, right = await ears(server, {}, "alice", turn)
    assert right > left + 5


@in_loop
async def test_wrong_values_are_named(server):
    async with anechoic.Session(server, microphone=MONO, far_ends=FAR_ENDS, playback=STEREO) as session:
        for pose in [{"yaw": math.nan}, {"pitch": 1e300}, {"roll": "left"}, {"quaternion": (1, 0, 0)},
                     {"quaternion": (math.inf, 0, 0, 0)}]:
            with pytest.raises(anechoic.InvalidRequest):
                session.report_head_pose(**pose)
        with pytest.raises(anechoic.FormatError, match="far_ends={'eve'"):
            await session.feed(far_ends={"eve": np.zeros(320, np.int16)})
        for sources in [[Source("alice", distance=0)], [Source("alice"), Source("alice")], [Source("")]]:
            with pytest.raises(anechoic.InvalidRequest):
                await session.configure({"spatial_audio.sources": sources})
        with pytest.raises(anechoic.InvalidRequest):
            await session.configure({"spatial_audio.sources": ["alice"]})
    for names in [{""}, {"a b"}, {f"p{number}" for number in range(17)}]:
        with pytest.raises(anechoic.InvalidRequest):
            async with anechoic.Session(
                    server, microphone=MONO, playback=STEREO, far_ends=dict.fromkeys(names, MONO)):
                pass


@in_loop
async def test_a_far_end_may_come_late_and_pause(server):
    """A far end that says nothing holds up nobody, and one that comes late is heard."""
    async with anechoic.Session(server, microphone=MONO, far_ends=FAR_ENDS, playback=STEREO) as session:
        reading = asyncio.create_task(playback_of(session))
        for number in range(100):
            late = {"bob": noise(48000, number)} if number > 40 else {}
            await session.feed(np.zeros(320, np.int16), far_ends=late)
            await asyncio.sleep(0.02)
        await session.finish()
        playback = await reading
    assert not playback[:24000].any()
    assert level(playback, 1.2, 1.8, 48000) > 40
