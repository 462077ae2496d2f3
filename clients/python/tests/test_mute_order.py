"""Nothing that was captured while the microphone was muted is ever heard, wherever it waits."""

import asyncio

import numpy as np
from conftest import in_loop
from hostile import HostileServer
from test_hostile import TONE, exchange, exchange_until, is_connected, until

import anechoic
from anechoic import Format, Output
from anechoic._alignment import AlignedVoice
from anechoic._controls import Controls
from anechoic._silence import Silence

MONO = Format(16000)


def output(first, count=320):
    return Output(np.full(count, 9, np.int16), first, None, ())


class Muting:
    """A server that mutes as the real one does: at the next sample. `log` has what arrived, in its order."""

    def __init__(self, answers=True):
        self.log, self.answers, self.is_muted = [], answers, False

    async def __call__(self, call):
        await call.accept()
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                self.is_muted = request.control.set_mute.muted
                self.log.append((self.is_muted, call.heard))
                if self.answers:
                    await call.answer(request.control)
            elif request.HasField("audio"):
                data = request.audio.microphone.samples
                first = request.audio.microphone.first_sample
                await call.audio(first, bytes(len(data)) if self.is_muted else data)


@in_loop
async def test_an_unmute_waits_for_the_audio_before_it_and_a_mute_does_not():
    script = Muting()
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO, muted=True) as session:
            script.is_muted = True
            for _ in range(5):
                session.feed_nowait(TONE)
            session.feed_nowait(TONE[:200])  # Less than a message.
            await asyncio.wait_for(session.unmute(), 2)
            assert script.log == [(False, 1700)]
            for _ in range(5):
                session.feed_nowait(TONE)
            await asyncio.wait_for(session._link.set_mute(True), 2)  # Before the loop runs.
            assert script.log[1] == (True, 1700)
            assert session.is_muted


@in_loop
async def test_a_mute_replaces_an_unmute_that_still_waits():
    script = Muting()
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO, muted=True) as session:
            session.feed_nowait(TONE * 10)
            asked = [asyncio.ensure_future(each()) for each in (session.unmute, session.mute)]
            await asyncio.wait_for(asyncio.gather(*asked), 2)
            assert [muted for muted, _ in script.log] == [True] and session.is_muted


def test_an_unmute_is_held_again_on_a_new_connection():
    async def run():
        controls = Controls()
        controls.add(None, after=640)
        controls.add(None)
        assert controls.next_message(320).control.control_id == 2
        assert controls.next_message(320) is None
        assert controls.next_message(640).control.control_id == 1
        controls.rewind()
        assert controls.next_message(0).control.control_id == 2
        assert controls.next_message(639) is None
        assert controls.next_message(None).control.control_id == 1  # Nothing waits to be sent.

    asyncio.run(run())


@in_loop
async def test_a_session_is_silent_from_the_request_to_the_confirmed_sample():
    script = Muting(answers=False)
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            await session.feed(np.frombuffer(TONE * 5, np.int16))
            heard = await asyncio.wait_for(session.read(1600), 2)
            assert heard.all()
            asked = asyncio.ensure_future(session.mute())
            await asyncio.sleep(0)
            script.is_muted = False
            await until(lambda: script.log)
            script.is_muted = False  # As if the server applied it late.
            await session.feed(np.frombuffer(TONE * 5, np.int16))
            assert not (await asyncio.wait_for(session.read(1600), 2)).any()
            session._link.controls.resolve(_result(1), 3200)
            assert await asyncio.wait_for(asked, 2) == 3200
            await session.feed(np.frombuffer(TONE * 5, np.int16))
            assert (await asyncio.wait_for(session.read(1600), 2)).all()  # Speech that the server plays.


def _result(number):
    return anechoic.v1.voice_processing_pb2.ControlResult(control_id=number)


def test_spans_of_silence():
    silence = Silence(16000, 16000)
    silence.delayed(samples=10 / 16000)
    silence.begin(1, 100)
    assert silence.applied(output(0)).samples.tolist() == [9] * 110 + [0] * 210
    silence.begin(3, 500)  # Again, before the answer.
    silence.confirm(1, 120)
    assert not silence.applied(output(320)).samples.any()
    silence.confirm(3, 700)
    assert silence.applied(output(640)).samples.tolist() == [0] * 70 + [9] * 250
    assert silence.applied(output(960)).samples.all() and not silence.spans
    silence.begin(4, 1500)
    silence.end(1600)  # Unmuted before the answer.
    assert silence.applied(output(1280, 640)).samples.tolist() == [9] * 230 + [0] * 100 + [9] * 310
    silence.begin(5, 2500)
    silence.confirm(5, 2400)
    assert silence.applied(output(2400)).samples.all()
    for number in range(1000):
        silence.begin(6 + number, 3000 + 2 * number)
        silence.end(3001 + 2 * number)
    assert len(silence.spans) <= 256


def test_a_filter_is_silent_for_all_that_was_captured_while_muting():
    voice = AlignedVoice(2, 16000, 320, True)
    voice.lag_samples = 160
    heard = []
    for number in range(20):
        voice.is_muted = voice.is_muting = 5 <= number < 7
        voice.add(Output(np.full(320, number + 1, np.int16), number * 320 + 160, None, ()), 0)
        heard.append(voice.exchange(np.full(320, number + 1, np.int16).tobytes()))
    values = np.frombuffer(b"".join(heard), np.int16)
    assert not set(values) & {6, 7} and {4, 8} <= set(values)


@in_loop
async def test_a_filter_that_is_unmuted_and_muted_at_once_lets_nothing_escape():
    script = Muting()
    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address, muted=True)
        script.is_muted = True
        await exchange_until(live, lambda: is_connected(live))
        for _ in range(5):
            live.unmute()
            live.mute()
            assert not (await exchange(live, 0.2)).any()
        assert live.is_muted
        await live.close()


@in_loop
async def test_a_recording_that_is_sent_again_stays_muted_where_it_was():
    async def script(call):
        await call.accept()
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                controls.append((len(server.starts), request.control.set_mute.muted, call.heard))
                await call.answer(request.control)
            elif request.HasField("audio") and len(server.starts) == 2:
                await call.audio(request.audio.microphone.first_sample, request.audio.microphone.samples)
            elif call.heard > 3200:
                return await call.end("UNAVAILABLE", "DRAINING")

    controls = []
    async with HostileServer(script) as server:
        session = anechoic.Session(server.address, microphone=MONO, real_time=False, muted=True)
        async with session:
            await session.feed(np.frombuffer(TONE * 10, np.int16))
            await asyncio.wait_for(session.unmute(), 2)
            await session.feed(np.frombuffer(TONE * 10, np.int16))
            await until(lambda: len(controls) == 2)
            await until(lambda: not session.is_muted)
    assert [each.muted for each in server.starts] == [True, True]
    assert controls == [(1, False, 3200), (2, False, 3200)]
