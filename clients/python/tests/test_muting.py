"""Many changes at once: the state that is wanted last is the one that counts."""

import asyncio

import numpy as np
import pytest
from conftest import in_loop
from hostile import HostileServer
from test_hostile import TONE, exchange, exchange_until, feed, is_connected, until

import anechoic
from anechoic import Format
from anechoic.events import AudioPort, AudioRoute, RouteChanged

MONO = Format(16000)
NOISE = (np.random.default_rng(1).standard_normal(320) * 3000).astype(np.int16).tobytes()


@pytest.mark.parametrize("count", [301, 300])
@in_loop
async def test_a_filter_keeps_the_last_of_many_mute_requests(server, count):
    live = anechoic.LiveFilter(server, session_id=f"mutes-{count}")
    await exchange_until(live, lambda: is_connected(live))
    for number in range(count):
        live.mute() if number % 2 == 0 else live.unmute()
    muted = count % 2 == 1
    assert live.is_muted == muted or not muted
    await exchange_until(live, lambda: live._state.wanted_mute is None)
    heard = await exchange(live, 1, frame=NOISE)  # Not a constant, which a filter would remove.
    assert live.is_muted == muted and live._state.wanted_mute is None
    assert heard[-3200:].any() != muted
    async with anechoic.Sessions(server) as sessions:
        assert (await sessions.get(live.session.id)).mute.muted == muted
    await live.close()


@in_loop
async def test_a_filter_that_changes_its_mute_state_for_seconds_ends_with_the_last_one(server):
    live = anechoic.LiveFilter(server, session_id="mutes-long")
    await exchange_until(live, lambda: is_connected(live))
    for number in range(60):
        for _ in range(10):
            live.mute()
            live.unmute()
        live.mute()
        await exchange(live, 0.04)
    await exchange_until(live, lambda: live._state.wanted_mute is None)
    heard = await exchange(live, 0.5)
    assert live.is_muted and not heard[-3200:].any() and live._state.wanted_mute is None
    async with anechoic.Sessions(server) as sessions:
        assert (await sessions.get(live.session.id)).mute.muted
    await live.close()


@in_loop
async def test_a_refused_mute_is_sent_again_and_everybody_gets_an_answer():
    async def script(call):
        await call.accept()
        refused = 0
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                refused += 1
                controls.append(request.control.set_mute.muted)
                await call.answer(request.control, ("RESOURCE_EXHAUSTED", "TOO_MANY_CONTROLS") if refused < 4 else None)

    controls = []
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            asked = [asyncio.create_task(each()) for each in (session.mute, session.unmute) * 20]
            await asyncio.sleep(0)
            assert session.is_muted is False
            asked.append(asyncio.create_task(session.mute()))
            answers = await asyncio.wait_for(asyncio.gather(*asked), 5)
            assert session.is_muted and len(answers) == 41
    assert len(controls) <= 6 and controls[-1] is True


@in_loop
async def test_a_filter_insists_on_a_mute_that_is_refused(caplog):
    async def script(call):
        await call.accept()
        refused = 0
        while (request := await call.read()) is not None:
            if request.HasField("audio"):
                await call.audio(request.audio.microphone.first_sample, request.audio.microphone.samples)
            if request.HasField("control"):
                refused += 1
                await call.answer(request.control, ("FAILED_PRECONDITION", "NO") if refused < 4 else None)

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await exchange_until(live, lambda: is_connected(live))
        live.mute()
        heard = await exchange(live, 0.1)
        assert live.is_muted and live._state.is_muting and not heard[-320:].any()
        await exchange_until(live, lambda: not live._state.is_muting)
        assert live.is_muted
        await live.close()
    assert len([each for each in caplog.records if "refuses to be muted" in each.getMessage()]) == 1


@in_loop
async def test_a_session_throws_a_refusal_for_good():
    async def script(call):
        await call.accept()
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                await call.answer(request.control, ("FAILED_PRECONDITION", "NO"))

    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            with pytest.raises(anechoic.Refused):
                await session.mute()
            assert not session.is_muted


@in_loop
async def test_a_mute_goes_before_hundreds_of_other_controls():
    async def script(call):
        await call.accept()
        while (request := await call.read()) is not None:
            if request.HasField("control") and request.control.HasField("set_mute"):
                await call.answer(request.control)

    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO) as session:
            waiting = [asyncio.create_task(session.clear_playback()) for _ in range(256)]
            await asyncio.sleep(0)
            with pytest.raises(anechoic.Overloaded):
                await session.clear_playback()
            await asyncio.wait_for(session.mute(), 2)
            assert session.is_muted
        results = await asyncio.gather(*waiting, return_exceptions=True)
        assert all(isinstance(each, anechoic.SessionEnded) for each in results)


@in_loop
async def test_a_mute_that_is_unanswered_holds_for_the_next_session():
    async def script(call):
        await call.accept()
        if len(server.starts) > 1:
            return await call.serve()
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                return await call.end("UNAVAILABLE", "DRAINING")

    async with HostileServer(script) as server:
        live = anechoic.LiveFilter(server.address)
        await exchange_until(live, lambda: is_connected(live))
        for _ in range(20):
            live.unmute()
            live.mute()
        await exchange_until(live, lambda: len(server.starts) == 2 and is_connected(live))
        assert server.starts[1].muted and live.is_muted and live._state.wanted_mute is None
        await live.close()


async def starts_of(muted, *requests):
    """Makes requests of a session that has fed 320 samples, after which it feeds 640 more. The server answers none of
    them, and is replaced. Returns whether each session began muted, and the requests to the second one.
    """
    async def script(call):
        await call.accept()
        while (request := await call.read()) is not None:
            if len(server.starts) > 1 and request.HasField("control"):
                controls.append(request.control)
                await call.answer(request.control)
            elif len(server.starts) == 1 and call.heard >= 960:
                return await call.end("UNAVAILABLE", "DRAINING")

    controls = []
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO, muted=muted) as session:
            await session.feed(TONE)
            asked = [asyncio.ensure_future(each(session)) for each in requests]
            await asyncio.sleep(0)
            await session.feed(TONE * 2)
            await asyncio.wait_for(asyncio.gather(*asked), 10)
    return [each.muted for each in server.starts], controls


@pytest.mark.parametrize("muted", [True, False])
@in_loop
async def test_a_request_for_a_later_sample_does_not_hold_for_a_new_session_before_it(muted):
    starts, controls = await starts_of(
        muted, lambda session: session.unmute(at_sample=32000) if muted else session.mute(at_sample=32000))
    assert starts == [muted, muted]
    assert [(each.set_mute.muted, each.at_sample) for each in controls] == [(not muted, 32000 - 960)]


@pytest.mark.parametrize("sample", [160, 640])
@in_loop
async def test_a_request_for_a_sample_that_has_come_holds_for_a_new_session(sample):
    starts, _ = await starts_of(False, lambda session: session.mute(at_sample=sample))
    assert starts == [False, True]


@in_loop
async def test_a_mute_replaces_an_unmute_for_a_sample_before_it():
    starts, controls = await starts_of(True, lambda session: session.unmute(at_sample=160), anechoic.Session.mute)
    assert starts == [True, True]


@in_loop
async def test_a_request_for_a_sample_changes_nothing_before_there_is_a_session(server):
    session = anechoic.Session(server, microphone=MONO, muted=True)
    with pytest.raises(anechoic.Refused):
        await session.unmute(at_sample=0)
    async with session:
        assert session.is_muted


@in_loop
async def test_a_decision_that_comes_too_soon_is_sent_again():
    async def script(call):
        await call.accept()
        for client in ("alice", "bob"):
            response = anechoic.v1.voice_processing_pb2.ProcessResponse()
            response.event.event_id = 1
            response.event.injection_permission_requested.client = client
            await call.write(response)
        while (request := await call.read()) is not None:
            if request.HasField("control"):
                decision = request.control.decide_injection_permission
                decisions.append(decision.client)
                too_many = decisions.count(decision.client) < 3
                await call.answer(request.control, ("RESOURCE_EXHAUSTED", "TOO_MANY_CONTROLS") if too_many else None)

    decisions = []
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=MONO, on_injection_permission=lambda _: True) as session:
            await until(lambda: session._state.permissions == {"alice": True, "bob": True})
    assert len(decisions) == 6


@in_loop
async def test_the_last_of_many_routes_is_told(server):
    async with anechoic.Session(server, microphone=MONO, session_id="routes") as session:
        for number in range(60):
            port = AudioPort(f"usb-{number}")
            session.report_route(AudioRoute(port, port))
            await feed(session, 0.02)
        await feed(session, 5)
        routes = [each for each in session._link.inbox.events._events if isinstance(each, RouteChanged)]
        assert routes[-1].current.input.port_id == "usb-59"
