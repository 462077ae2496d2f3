"""The second connection: list, watch, mute, configure, gestures, injection, delete."""

import asyncio
from contextlib import asynccontextmanager
from datetime import timedelta

import numpy as np
import pytest
from conftest import collect, event, in_loop

import anechoic
from anechoic import Format
from anechoic.enums import GestureOutcome, InjectionPermission, MicMode, VoiceEnrollment

MONO = Format(16000)


@asynccontextmanager
async def call(server, **options):
    """A session in real time whose microphone runs."""
    connection = anechoic.Connection(server, client="kiosk")
    async with connection, anechoic.Session(connection, microphone=MONO, **options) as session:
        noise = np.random.default_rng(1).normal(0, 0.01, 320)

        async def talk():
            while True:
                await session.feed(noise)
                await asyncio.sleep(0.02)

        talking = asyncio.create_task(talk())
        await session.read(3200)
        try:
            yield session
        finally:
            talking.cancel()


@in_loop
async def test_a_session_is_listed_and_changed(server):
    async with call(server, labels={"room": "2"}) as session, anechoic.Sessions(server, client="desk") as sessions:
        found = {each.id: each async for each in sessions.list()}
        assert found[session.id].owner == "kiosk" and found[session.id].labels == {"room": "2"}
        changed = await sessions.configure(session.id, {"preferred_mic_mode": "WIDE_SPECTRUM"})
        assert changed.config.preferred_mic_mode == MicMode.WIDE_SPECTRUM.value
        assert (await sessions.label(session.id, {"room": "3"})).labels == {"room": "3"}
        assert changed.voice_enrollment is VoiceEnrollment.NONE and not changed.turn_active
        await session.enroll_voice()
        assert (await sessions.get(session.id)).voice_enrollment is VoiceEnrollment.ENROLLING
        assert (await sessions.get(f"sessions/{session.id}")).stats.flow.frames_processed > 0


@in_loop
async def test_muting_from_outside_is_seen_inside(server):
    async with call(server) as session, anechoic.Sessions(server, client="desk") as sessions:
        state = await sessions.mute(session.id, if_generation=0)
        assert state.muted and state.actor == "desk"
        assert (await event(session, anechoic.MuteChanged)).state == state
        assert session.is_muted
        with pytest.raises(anechoic.Refused) as caught:
            await sessions.unmute(session.id, if_generation=0)
        assert caught.value.reason == "STALE_GENERATION"
        assert not (await sessions.unmute(session.id)).muted


@in_loop
async def test_a_change_from_outside_lands_on_its_sample(server):
    async with call(server) as session, anechoic.Sessions(server, client="desk") as sessions:
        frames = (await sessions.get(session.id)).stats.flow.frames_processed
        muted_at, changed_at = 160 * (frames + 60) + 7, 160 * (frames + 70) + 131
        state, info = await asyncio.gather(
            sessions.mute(session.id, at_sample=muted_at),
            sessions.configure(session.id, {"preferred_mic_mode": "WIDE_SPECTRUM"}, at_sample=changed_at),
        )
        assert state.muted and info.config.preferred_mic_mode == MicMode.WIDE_SPECTRUM.value
        assert (state.applied_at_sample, info.applied_at_sample) == (muted_at, changed_at)
        assert (await sessions.unmute(session.id)).applied_at_sample > changed_at
        assert (await event(session, anechoic.MuteChanged)).sample == muted_at
        assert (await event(session, anechoic.events.ConfigChanged)).sample == changed_at


@in_loop
async def test_a_watcher_sees_state_events_and_statistics(server):
    async with call(server) as session, anechoic.Sessions(server) as sessions:
        await session.mute()
        seen = []
        async for item in sessions.watch(session.id, from_event=1, statistics_interval=0.1):
            seen.append(item)
            if {anechoic.Statistics, anechoic.MuteChanged} <= {type(each) for each in seen}:
                break
    assert isinstance(seen[0], anechoic.SessionInfo) and seen[0].mute.muted


@pytest.mark.parametrize("accepts, outcome", [(True, GestureOutcome.APPLIED), (False, GestureOutcome.REJECTED)])
@in_loop
async def test_a_callback_decides_a_gesture(server, accepts, outcome):
    asked = []

    async def decide(request):
        asked.append(request)
        return accepts

    settings = {"mute.gesture_decision_timeout": timedelta(seconds=30)}
    async with call(server, on_mute_gesture=decide, settings=settings) as session:
        async with anechoic.Sessions(server, client="headset") as sessions:
            gesture = await sessions.gesture(session.id)
    assert (gesture.outcome, gesture.state.muted, asked[0].proposed_muted) == (outcome, accepts, True)


@in_loop
async def test_a_callback_that_fails_means_no(server):
    def decide(request):
        raise RuntimeError("no idea")

    async with call(server, on_injection_permission=decide) as session, anechoic.Sessions(server) as sessions:
        assert await sessions.ask_to_inject(session.id, "Tests") is InjectionPermission.DENIED


@in_loop
async def test_permitted_speech_is_heard(server):
    asked = []

    def permit(request):
        asked.append(request)
        return True

    async with call(server, on_injection_permission=permit) as session:
        async with anechoic.Sessions(server, client="doorbell") as sessions:
            with pytest.raises(anechoic.Refused) as caught:
                await sessions.say(session.id, "Hello")
            assert caught.value.reason == "INJECTION_NOT_PERMITTED"
            permission = await sessions.ask_to_inject(session.id, "Announces visitors")
            assert permission is InjectionPermission.GRANTED
            assert asked[0].client == "doorbell" and asked[0].usage_description == "Announces visitors"
            tone = np.sin(np.arange(4800) / 5) * 0.5
            assert (await sessions.play(session.id, tone, MONO)).total_seconds() == pytest.approx(0.3)
            assert (await sessions.say(session.id, "Hi")).total_seconds() > 0.1
            await event(session, anechoic.events.InjectionProgress)


@in_loop
async def test_an_injector_is_told_of_a_call_and_may_speak_to_the_person_alone(server):
    async with anechoic.Sessions(server, client="announcer") as sessions:
        watch = sessions.watch_injection("announced")
        first = await anext(watch)
        assert first == anechoic.InjectionStatus("sessions/announced", False, False, InjectionPermission.UNDETERMINED)
        options = {"session_id": "announced", "playback": MONO, "on_injection_permission": lambda request: True}
        async with call(server, **options) as session:
            status = await anext(watch)
            while not status.available:
                status = await anext(watch)
            await sessions.ask_to_inject(session.id, "Announces")
            assert (await sessions.injection(session.id)).permission is InjectionPermission.GRANTED
            assert (await sessions.say(session.id, "Hi", only_here=True)).total_seconds() > 0.1
            with pytest.raises(anechoic.InvalidRequest):
                await sessions.say(session.id, "Hi", only_here=1)
        while (await anext(watch)).running:
            pass
        await watch.aclose()


@in_loop
async def test_a_deleted_session_ends_with_a_reason(server):
    async with call(server) as session, anechoic.Sessions(server) as sessions:
        await sessions.delete(session.id)
        with pytest.raises(anechoic.SessionEnded) as caught:
            await collect(session)
        assert caught.value.reason == "SESSION_DELETED"
        with pytest.raises(anechoic.NotFound, match="no session"):
            await sessions.get(session.id)


@in_loop
async def test_bad_names_and_values_are_refused(server):
    async with anechoic.Sessions(server) as sessions:
        for name in ("\n", "ü"):
            with pytest.raises(anechoic.InvalidRequest, match="is not the id of a session"):
                await sessions.get(name)
        async with anechoic.Session(server, microphone=MONO, session_id="generation"):
            with pytest.raises(anechoic.InvalidRequest, match="if_generation"):
                await sessions.mute("generation", if_generation=-1)
            for sample in (-1, 1 << 63, 0.5):
                with pytest.raises(anechoic.InvalidRequest, match="at_sample"):
                    await sessions.unmute("generation", at_sample=sample)
            with pytest.raises(anechoic.Refused) as caught:
                await sessions.mute("generation", if_generation=99)
        assert caught.value.reason == "STALE_GENERATION"
        # The server ends the call while the text is still on its way.
        with pytest.raises(anechoic.NotFound):
            await sessions.say("nobody", "x" * 5000)
