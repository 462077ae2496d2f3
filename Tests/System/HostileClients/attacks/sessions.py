"""Sessions that make work for their neighbours."""

import os
import signal
import struct
import time

import service
from suite import attack
from wire import Connection, Pool

from attacks.calls import Victim


@attack(memory=100)
def clock_jumps(report):
    """20 sessions whose media clocks jump by 10 s, all at once; and end with such a gap."""
    samples = bytes(320)
    pool = Pool(report.address, calls_each=10)
    calls = [pool.call(service.PROCESS) for _ in range(20)]
    for call in calls:
        call.send(service.start(reference=True))
    pool.pump(5, until=lambda: all(call.messages for call in calls))
    position = 0
    for turn in range(report.count(6, least=2)):
        for call in calls:
            call.send(service.audio(samples, first=position, reference=samples))
        position += 10 * service.RATE
        for call in calls:
            call.send(service.audio(samples, first=position), timeout=1)
            call.messages.clear()
        position += service.FRAME
        pool.pump(1.5)
    # In real time, the end comes when the session's clock has advanced so far. No client waits for
    # this.
    for call in calls:
        call.send(service.audio(samples, first=position + 10 * service.RATE), timeout=1)
        call.half_close()
    pool.pump(1)
    pool.close()


@attack()
def stopped_server(report):
    """The server is stopped for 3 s, as when its machine sleeps."""
    began = time.monotonic()
    os.kill(report.pid, signal.SIGSTOP)
    time.sleep(3)
    os.kill(report.pid, signal.SIGCONT)
    report.stalls.append((began - 0.1, time.monotonic() + 2))
    time.sleep(5)


@attack(memory=64)
def pending_answers(report):
    """Presses and requests for permission that nobody answers."""
    victim = Connection(report.address)
    request = service.voice.ProcessRequest.FromString(service.start(session="asked"))
    request.start.config.mute.gesture_policy = 2
    request.start.config.mute.gesture_decision_timeout.FromSeconds(60)
    request.start.config.preferred_injection_mode = 2
    media = victim.call(service.PROCESS)
    media.send(request.SerializeToString())
    for samples in service.noise(5, seed=3):
        media.send(service.audio(samples))
    media.wait(5, messages=3)
    pool = Pool(report.address)
    sessions = service.sessions_pb2
    for index in range(report.count(2000, least=400)):
        client = [("anechoic-client", f"c{index}")]
        if index % 2:
            call, message = "ReportMuteGesture", sessions.ReportMuteGestureRequest(
                name="sessions/asked", gesture_id=f"g{index}")
        else:
            call, message = "RequestInjectionPermission", (
                sessions.RequestInjectionPermissionRequest(
                    name="sessions/asked", usage_description="u" * 1000))
        pool.call(service.SESSIONS + call, client).send(message.SerializeToString(), end=True)
        if index % 50 == 0:
            victim.pump()
            media.send(service.audio(bytes(320)))
    pool.pump(1)
    pool.close()
    victim.close()


# 300 sessions take some 200 MB while they run.
@attack(memory=320)
def crowded_lists(report):
    """Sessions with the maximum number of labels, which clients list all the time."""
    pool = Pool(report.address)
    labels = {f"k{n:02}" + "k" * 60: "v" * 255 for n in range(64)}
    sessions = [pool.call(service.PROCESS) for _ in range(report.count(300, least=60))]
    for call in sessions:
        call.send(service.start(**labels), timeout=2)
    pool.pump(5, until=lambda: all(call.messages or call.has_ended for call in sessions))
    readers = [Connection(report.address) for _ in range(4)]
    request = service.sessions_pb2.ListSessionsRequest(page_size=1000).SerializeToString()
    end, answers = time.monotonic() + max(2, 10 * report.scale), {}
    while time.monotonic() < end:
        calls = [r.call(service.SESSIONS + "ListSessions") for r in readers for _ in range(3)]
        for call in calls:
            call.send(request, end=True)
        for call in calls:
            status = call.result()
            answers[status] = answers.get(status, 0) + 1
        pool.pump()
    report.notes.append(f"answers by status: {answers}")
    report.expect(set(answers) <= {0, 8}, f"lists are answered with {answers}")
    for connection in (*readers, pool):
        connection.close()


def told_session(report, name):
    """Creates a session into which the client "teller" may inject speech. Returns the name and the
    call of the session, and a connection of that client."""
    sessions = service.sessions_pb2
    request = service.voice.ProcessRequest.FromString(service.start(session=name))
    request.start.config.preferred_injection_mode = 2
    media = Connection(report.address).call(service.PROCESS)
    media.send(request.SerializeToString())
    media.send(service.audio(bytes(320)))
    media.wait(5, messages=2)
    control = Connection(report.address)
    asked = control.call(
        service.SESSIONS + "RequestInjectionPermission", [("anechoic-client", "teller")])
    asked.send(sessions.RequestInjectionPermissionRequest(
        name=service.name(name), usage_description="u").SerializeToString(), end=True)
    end = time.monotonic() + 5
    while not any(is_question(message) for message in media.messages) and time.monotonic() < end:
        media.connection.pump(0.1)
    grant = service.voice.ProcessRequest()
    grant.control.decide_injection_permission.client = "teller"
    grant.control.decide_injection_permission.grant = True
    media.send(grant.SerializeToString())
    report.expect(asked.result() == 0, f"permission is answered with {asked.status}")
    return name, media, control


def is_question(message):
    response = service.voice.ProcessResponse.FromString(message)
    return response.event.HasField("injection_permission_requested")


@attack(memory=150)
def spoken_texts(report):
    """Texts of 5,000 characters, injected into every session at the same time."""
    victims = [told_session(report, f"told-{time.monotonic_ns()}")
               for _ in range(report.count(20, least=4))]
    calls = []
    for name, _, control in victims:
        for _ in range(3):
            call = control.call(
                service.SESSIONS + "InjectSpeech", [("anechoic-client", "teller")])
            call.send(service.injection(name))
            call.send(service.injection_text("seventy-seven million " * 220), end=True)
            calls.append(call)
    end = time.monotonic() + max(4, 15 * report.scale)
    while time.monotonic() < end:
        for _, media, control in victims:
            media.send(service.audio(bytes(320)), timeout=0.1)
            media.messages.clear()
            media.connection.pump()
            control.pump()
        time.sleep(0.01)
    for _, media, control in victims:
        media.connection.close()
        control.close()


@attack(memory=64)
def tiny_injections(report):
    """Audio injected one sample at a time, as fast as the server takes it."""
    name, media, control = told_session(report, f"told-{time.monotonic_ns()}")
    call = control.call(service.SESSIONS + "InjectSpeech", [("anechoic-client", "teller")])
    call.send(service.injection(name, rate=8000))
    chunk = service.injection_audio(bytes(2))
    chunks = (struct.pack(">BI", 0, len(chunk)) + chunk) * 8
    began, turn, sent = time.monotonic(), 0, 0
    while (now := time.monotonic()) < began + max(3, 20 * report.scale):
        if now >= began + turn * 0.01:
            media.send(service.audio(bytes(320)), timeout=0.1)
            media.messages.clear()
            media.connection.pump()
            turn += 1
        if call.has_ended or min(call.window, control.window) < len(chunks):
            control.pump(0.01)
        else:
            call.send_data(chunks)
            sent += 8
    report.notes.append(f"{sent} chunks")
    report.expect(sent > 0 and not call.has_ended, f"the injection ended with {call.status}")
    media.connection.close()
    control.close()
