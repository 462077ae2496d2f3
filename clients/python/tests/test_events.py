"""The classes of events, which are generated from proto/anechoic/v1/events.proto."""

import dataclasses

import anechoic
import pytest
from anechoic import Format, events
from anechoic._session_events import KINDS as CLASSES, POSITIONS
from anechoic.v1 import events_pb2, voice_processing_pb2 as api
from conftest import PROJECT, in_loop
from hostile import HostileServer

KINDS = events_pb2.SessionEvent.DESCRIPTOR.oneofs_by_name["event"].fields


def test_every_event_of_the_protocol_has_a_class():
    assert len(KINDS) >= 23
    proto = (PROJECT / "proto/anechoic/v1/events.proto").read_text()
    lines = proto.split("oneof event {\n")[1].split("}")[0].splitlines()
    assert [line.split()[1] for line in lines if line.strip()] == [kind.name for kind in KINDS]
    for kind in KINDS:
        message = events_pb2.SessionEvent(event_id=3, microphone_sample=160)
        getattr(message, kind.name).SetInParent()
        event = events.event_from(message, base=1000)
        assert type(event) is not events.UnknownEvent, kind.name
        assert (event.id, event.sample) == (3, 1160)
        values = {field.name for field in dataclasses.fields(event)} - {"id", "sample"}
        assert values == set(kind.message_type.fields_by_name), kind.name
        assert type(event).__doc__ and getattr(events, type(event).__name__) is type(event)


def test_values_have_the_types_of_python():
    message = events_pb2.SessionEvent(event_id=1, microphone_sample=160)
    message.route_changed.current.input.port_id = "usb:1"
    message.route_changed.current.input.type = events_pb2.AudioPort.TYPE_USB
    port = events.AudioPort("usb:1", type=anechoic.enums.PortType.USB)
    assert events.event_from(message) == events.RouteChanged(
        anechoic.enums.RouteChangeReason.UNSPECIFIED, None, events.AudioRoute(port), id=1, sample=160)


def test_positions_count_from_the_first_session():
    message = events_pb2.SessionEvent(microphone_sample=160)
    message.voice_activity_changed.began_at_sample = 80
    event = events.event_from(message, base=1000)
    assert (event.sample, event.began_at_sample) == (1160, 1080)


@in_loop
async def test_all_positions_of_a_session_that_replaces_another_count_from_the_first_one():
    async def script(call):
        await call.accept()
        while (await call.read()) is not None:
            if call.heard >= 640 and len(server.starts) == 1:
                return await call.end("UNAVAILABLE", "DRAINING")
            if call.heard == 320 and len(server.starts) == 2:
                for number, (kind, fields) in enumerate(positions.items()):
                    response = api.ProcessResponse()
                    response.event.event_id, response.event.microphone_sample = 1 + number, 200
                    for field in fields:
                        setattr(getattr(response.event, kind), field, 80)
                    await call.write(response)

    positions = {name: POSITIONS[kind] for name, kind in CLASSES.items() if kind in POSITIONS}
    assert len(positions) >= 8
    async with HostileServer(script) as server:
        async with anechoic.Session(server.address, microphone=Format(16000)) as session:
            await session.feed(bytes(1280))
            found = []
            async for event in session.events():
                if isinstance(event, events.Restarted):
                    await session.feed(bytes(640))
                elif event.id:
                    found.append(event)
                if len(found) == len(positions):
                    break
    for event, fields in zip(found, positions.values()):
        assert (event.sample, *(getattr(event, field) for field in fields)) == (840, *[720] * len(fields)), event


def enrollment(failure):
    event = events_pb2.VoiceEnrollmentChanged
    return {"voice_enrollment_changed": event(failure=event.Failure.Value(f"FAILURE_{failure}"))}


def ended(reason):
    event = events_pb2.SessionEnded
    return {"session_ended": event(reason=event.Reason.Value(f"REASON_{reason}"))}


@pytest.mark.parametrize("is_finished", [False, True])
@pytest.mark.parametrize("happened, learns_on", [
    *(([(500, enrollment("TOO_LITTLE_VOICE")), (500, ended(reason))], True)
      for reason in ("SERVER_SHUTDOWN", "DELETED", "IDLE", "MAX_DURATION", "CLIENT_CLOSED")),
    ([(499, enrollment("TOO_LITTLE_VOICE")), (500, ended("DELETED"))], False),
    ([(500, enrollment("TOO_LITTLE_VOICE"))], False),
    ([(500, enrollment("SEVERAL_VOICES")), (500, ended("DELETED"))], False),
    ([(500, enrollment("TOO_LITTLE_VOICE")), (500, enrollment("UNSPECIFIED")), (500, ended("DELETED"))], False),
])
def test_an_enrollment_goes_on_in_the_session_that_replaces_one_that_has_ended(happened, learns_on, is_finished):
    session = anechoic.Session("127.0.0.1:1", microphone=Format(16000), enroll_voice=True)
    inbox, outbox, state = session._link.inbox, session._link.outbox, session._state
    outbox.microphone.add(bytes(2000))
    outbox.microphone.take(1000)
    outbox.is_finished = is_finished
    state.enrolls(True)
    for sample, fields in happened:
        inbox.add(api.ProcessResponse(event=events_pb2.SessionEvent(microphone_sample=sample, **fields)))
    assert state.is_enrolling == learns_on


def test_an_event_of_a_newer_server_is_passed_on():
    event = events.event_from(events_pb2.SessionEvent(event_id=7))
    assert isinstance(event, events.UnknownEvent) and event.id == 7
