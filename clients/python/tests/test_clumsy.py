"""Programs that close twice, ask after the end, use several tasks, and cancel them at any moment."""

import asyncio
import gc
import logging
import socket
import threading

import numpy as np
import pytest
from conftest import in_loop
from hostile import HostileServer, RawServer, faults
from test_hostile import TONE, exchange, exchange_until, feed, is_connected, until

import anechoic
from anechoic import Format

MONO = Format(16000)
BLOCK = np.zeros(1600, np.int16)


@pytest.fixture(autouse=True)
def no_forgotten_errors(caplog):
    """Nothing may be reported by asyncio itself: no exception that nobody saw, no task that was destroyed."""
    yield
    gc.collect()
    assert not faults(caplog)


async def others():
    """The tasks of the package that still run."""
    await asyncio.sleep(0.05)
    codes = [getattr(each.get_coro(), "cr_code", None) for each in asyncio.all_tasks()]
    return [each for each in codes if each is not None and "/src/anechoic/" in each.co_filename]


@in_loop
async def test_a_session_may_be_closed_often_and_by_several_tasks(server):
    session = anechoic.Session(server, microphone=MONO)
    await session.close()
    await session.open()
    await session.feed(BLOCK)
    await asyncio.wait_for(asyncio.gather(*(session.close() for _ in range(5))), 8)
    await session.close()
    with pytest.raises(anechoic.Refused, match="only once"):
        await session.open()
    for use in (session.mute, session.unmute, session.clear_playback, lambda: session.feed(BLOCK),
                lambda: session.configure({"mute.chime_disabled": True}), lambda: session.decide_gesture("a", True)):
        with pytest.raises(anechoic.SessionEnded):
            await asyncio.wait_for(use(), 1)
    with pytest.raises(anechoic.SessionEnded):
        session.feed_nowait(BLOCK)
    with pytest.raises(anechoic.SessionEnded):
        session.report_interruption(False)
    await asyncio.wait_for(session.finish(), 1)
    assert not await others()


@in_loop
async def test_a_session_is_opened_once_by_several_tasks(server):
    session = anechoic.Session(server, microphone=MONO)
    results = await asyncio.gather(*(session.open() for _ in range(5)), return_exceptions=True)
    refused = [each for each in results if each is not None]
    assert len(refused) == 4 and all(isinstance(each, anechoic.Refused) for each in refused)
    await session.feed(BLOCK)
    await session.finish()
    assert len(await session.read(1600)) == 1600
    await session.close()


@in_loop
async def test_a_session_that_is_left_at_once_has_ended():
    async def script(call):
        await call.accept()
        await call.serve()
        ended.append(call)

    ended = []
    async with HostileServer(script) as server:
        session = anechoic.Session(server.address, microphone=MONO)
        await session.open()
        await session.__aexit__(ValueError, ValueError(), None)  # Before its task has made a step.
        assert not len(await asyncio.wait_for(session.read(1), 1))
        with pytest.raises(StopAsyncIteration):
            await asyncio.wait_for(anext(session.events()), 1)
        with pytest.raises(anechoic.SessionEnded):
            await session.feed(BLOCK)
        assert not session.is_connected
        assert not await others()


@pytest.mark.parametrize("step", [0, 0.0005, 0.002, 0.005, 0.02, 0.1])
@in_loop
async def test_a_session_may_be_cancelled_at_any_moment(server, step):
    async def use():
        async with anechoic.Session(server, microphone=MONO, session_id=f"cancelled-{step}") as session:
            reading = asyncio.create_task(session.read(100000))
            try:
                while True:
                    await session.feed(BLOCK[:160])
                    await session.mute()
                    await session.unmute()
                    await asyncio.sleep(0.01)
            finally:
                reading.cancel()

    for _ in range(3):
        task = asyncio.create_task(use())
        await asyncio.sleep(step)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 10)
    assert not await others()
    async with anechoic.Sessions(server) as sessions:
        for _ in range(100):
            if not [each async for each in sessions.list() if each.id.startswith("cancelled")]:
                break
            await asyncio.sleep(0.05)
        assert not [each async for each in sessions.list() if each.id.startswith("cancelled")]


@pytest.mark.parametrize("step", [0, 0.001, 0.01, 0.15, 0.3])
@in_loop
async def test_a_session_that_reconnects_may_be_closed_at_any_moment(step):
    async def script(call):
        if len(server.starts) == 1:
            await call.accept()
            await call.read()
            await call.end("UNAVAILABLE")
        await asyncio.sleep(30)

    async with HostileServer(script) as server:
        session = anechoic.Session(server.address, microphone=MONO)
        await session.open()
        await session.feed(BLOCK)
        muting = asyncio.create_task(session.mute())
        await asyncio.sleep(step)
        await asyncio.wait_for(session.__aexit__(ValueError, ValueError(), None), 3)
        with pytest.raises(anechoic.SessionEnded):
            await muting
        assert not await others()


@in_loop
async def test_a_call_that_is_given_up_and_cancelled_at_once_ends():
    async def script(call):
        await call.accept()
        await asyncio.sleep(30)

    async with HostileServer(script) as server:
        session = anechoic.Session(server.address, microphone=MONO)
        await session.open()
        await session.feed(BLOCK)
        await asyncio.sleep(0.1)
        session._link._call.abandon()
        await asyncio.wait_for(session._link.cancel(), 3)
        await asyncio.wait_for(session.close(), 3)
        assert not await others()


@in_loop
async def test_requests_that_are_cancelled_are_forgotten(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        for _ in range(20):
            tasks = [asyncio.create_task(each) for each in (
                session.mute(), session.unmute(), session.clear_playback(), session.read(10),
                session.mute(at_sample=5))]
            await asyncio.sleep(0)
            for each in tasks:
                each.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await session.mute()
        for wrong in (-2**70, 2**70, 1.5, "5"):
            with pytest.raises(ValueError, match="at_sample"):
                await session.unmute(at_sample=wrong)
        assert session.is_muted
        await feed(session, 0.3)
        await session.finish()
        assert not (await session.read(4000))[-1000:].any()


@in_loop
async def test_many_tasks_share_a_session(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        async def work(number):
            for _ in range(5):
                await session.feed(BLOCK[:160])
                await (session.mute() if number % 2 else session.unmute())
                await session.read(10)
                session.read_nowait()

        await asyncio.wait_for(asyncio.gather(*(work(number) for number in range(10))), 20)
        await session.mute()
        assert session.is_muted


@in_loop
async def test_a_filter_may_be_closed_often_and_used_again():
    async def script(call):
        await call.accept()
        await call.serve()

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await live.close()
        live.mute()
        live.stop_playing()
        for _ in range(3):
            live.exchange(TONE, MONO)
            await asyncio.gather(live.close(), live.close())  # Before the task has made a step.
        live.exchange(TONE, MONO)
        await asyncio.sleep(0.001)
        await live.close()
        assert live.session is None and live.is_muted
        live.unmute()
        heard = await exchange_until(live, lambda: is_connected(live))
        assert heard[-320:].any()
        live.play(TONE, MONO)
        live.play(TONE, Format(48000))
        await exchange(live, 0.3)
        await live.close()
        live.mute()
        assert live.is_muted and not await others()


@in_loop
async def test_a_filter_in_a_hurry_keeps_its_length():
    live = anechoic.LiveFilter("127.0.0.1:1")
    for rate in (8000, 48000, 8000, 16000):
        format = Format(rate)
        for size in (1, 2, 3, 0, 640, 100_000):
            assert len(live.exchange(bytes(size), format)) in range(max(0, size - 1), size + 2)
    await live.close()


@in_loop
async def test_a_callback_that_fails_or_is_cancelled_answers_no():
    async def script(call):
        await call.accept()
        for number in range(100):
            response = anechoic.v1.voice_processing_pb2.ProcessResponse()
            response.event.event_id = number + 1
            response.event.mute_gesture_requested.gesture_id = str(number)
            await call.write(response)
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                decisions.append(request.control.decide_mute_gesture.accept)
                await call.answer(request.control)

    async def decide(event):
        await asyncio.sleep(0)
        raise ValueError("no")

    decisions = []
    async with HostileServer(script) as server:
        logging.getLogger("anechoic").setLevel(logging.CRITICAL)
        try:
            async with anechoic.Session(server.address, microphone=MONO, on_mute_gesture=decide) as session:
                await until(lambda: len(decisions) >= 64)
                await session.feed(BLOCK)
        finally:
            logging.getLogger("anechoic").setLevel(logging.NOTSET)
    assert not any(decisions)
    assert not await others()


@in_loop
async def test_an_encoder_that_fails_ends_the_session(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        def fail(*_):
            raise anechoic.FormatError("microphone: cannot be encoded")

        session._link.outbox._encoded = fail
        with pytest.raises(anechoic.FormatError, match="cannot be encoded"):
            await feed(session, 2)


@in_loop
async def test_events_and_output_have_several_readers_that_come_and_go(server):
    async with anechoic.Session(server, microphone=MONO, muted=True) as session:
        readers = []
        for _ in range(20):
            reader = session.events()
            readers.append(asyncio.create_task(anext(reader)))
        await asyncio.sleep(0.01)
        for each in readers[::2]:
            each.cancel()
        unmuting = asyncio.create_task(session.unmute())
        await feed(session, 0.3)
        await unmuting
        results = await asyncio.wait_for(asyncio.gather(*readers, return_exceptions=True), 5)
        assert all(isinstance(each, anechoic.Event) for each in results[1::2])


@in_loop
async def test_an_attempt_that_is_cancelled_as_its_answer_comes_is_cancelled():
    from anechoic._within import within

    async def answer():
        await event.wait()
        return 5

    event = asyncio.Event()
    task = asyncio.create_task(within(5, answer()))
    await asyncio.sleep(0.01)
    event.set()
    await asyncio.sleep(0)  # The answer is there, and the task has not made a step.
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(asyncio.TimeoutError):
        await within(0.01, asyncio.sleep(5))
    assert await within(5, asyncio.sleep(0, 7)) == 7


@in_loop
async def test_a_session_that_is_opened_again_goes_on(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        await feed(session, 0.2)
        for _ in range(3):
            with pytest.raises(anechoic.Refused, match="only once"):
                await session.open()
        began = session._link.inbox.position
        await feed(session, 0.5)
        assert session.is_connected and session._link.inbox.position > began
        assert not [each for each in session._link.inbox.events._events if isinstance(each, anechoic.Reconnecting)]


@in_loop
async def test_a_silent_server_is_given_up_after_one_attempt(monkeypatch):
    monkeypatch.setattr(anechoic._link, "FIRST_SECONDS", 0.5)
    loop = asyncio.get_running_loop()
    async with RawServer() as silent:
        connection, began = anechoic.Connection(silent.address, connect_timeout=0.4), loop.time()
        with pytest.raises(anechoic.ServerUnavailable, match="has not answered for 0.5 s"):
            await anechoic.Session(connection, microphone=MONO).open()
        assert loop.time() - began < 0.9 and silent.connections == 1


def test_a_program_that_ends_with_a_failed_start_reports_nothing_else(monkeypatch):
    monkeypatch.setattr(anechoic._link, "FIRST_SECONDS", 0.3)
    connections = []

    def accept():
        connections.append(silent.accept()[0])
        connections[0].sendall(b"\0\0\0\4\0\0\0\0\0" + b"\0\0\0\4\1\0\0\0\0")  # SETTINGS, and no more.

    with socket.create_server(("127.0.0.1", 0)) as silent:
        threading.Thread(target=accept, daemon=True).start()
        server = anechoic.Connection(f"127.0.0.1:{silent.getsockname()[1]}", connect_timeout=0)
        with pytest.raises(anechoic.ServerUnavailable):
            asyncio.run(anechoic.Session(server, microphone=MONO).open())
    connections[0].close()


@in_loop
async def test_each_server_has_one_attempt_however_long_the_first_one_takes(server, monkeypatch):
    monkeypatch.setattr(anechoic._link, "FIRST_SECONDS", 0.5)
    async with RawServer() as silent:
        first = anechoic.Connection(silent.address, connect_timeout=0.1)
        async with anechoic.Session([first, server], microphone=MONO) as session:
            await session.feed(BLOCK)
        await first.close()


@in_loop
async def test_audio_from_another_thread_is_refused(server):
    async with anechoic.Session(server, microphone=MONO) as session:
        with pytest.raises(anechoic.InvalidRequest, match="feed_nowait: no event loop runs here"):
            await asyncio.to_thread(session.feed_nowait, BLOCK)
        session.feed_nowait(BLOCK)


@pytest.mark.parametrize("waits", [True, False])
@in_loop
async def test_the_loudspeaker_goes_on_while_the_microphone_is_not_fed(server, waits):
    """The reference of that time belongs to no sample of the microphone, and must not gather."""
    block = np.zeros(320, np.int16)
    async with anechoic.Session(server, microphone=MONO, reference=MONO) as session:

        async def give(**inputs):
            if waits:
                await session.feed(**inputs)
            else:
                session.feed_nowait(**inputs)
            await asyncio.sleep(0.005)

        await give(microphone=block, reference=block)
        loop, began = asyncio.get_running_loop(), asyncio.get_running_loop().time()
        while loop.time() - began < 1.1:
            await give(reference=block[:80])
        for _ in range(300):  # 6 s of audio, which waits beside a microphone that does not come.
            await give(reference=block)
        await give(microphone=block, reference=block)
        reference = session._link.outbox.track("reference")
        assert reference.end <= session._link.outbox.microphone.end + 320
