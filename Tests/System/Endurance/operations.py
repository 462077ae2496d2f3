"""Whatever clients do to a server, one at a time: sessions of every kind with every end, and other calls."""

import http.client
import os
import socket
from dataclasses import dataclass

import service
import wire
from stream import Failure, OK, Stream, WebSocketStream, expect

INVALID_ARGUMENT, NOT_FOUND = 3, 5
OPERATIONS = {}
SHORT = 0.2  # The seconds of a session whose end matters, not its sound.
WINDOW, LONGEST_WINDOW = 1, 10  # The seconds for which sessions wait for clients that vanished.
ENROLLMENT = 4.5  # Enough of a voice for a session to learn it.
sessions_pb2 = service.sessions_pb2


@dataclass
class Operation:
    run: object  # A function that takes a Client.
    weight: int  # How often it is chosen beside others.


def operation(weight=2):
    """Declares an operation: a function that takes a Client, and returns a digest of output that a session
    of the same kind and length has to repeat, or nothing."""
    def declare(function):
        OPERATIONS[function.__name__] = Operation(function, weight)
        return function
    return declare


class Client:
    """One that does operations, one after another."""

    def __init__(self, addresses, sounds, pace, lane=0):
        self.address, self.http_address = addresses
        self.sounds, self.pace, self.lane = sounds, pace, lane
        self.seconds = SHORT  # The length of the next session.
        self.count = 0

    def name(self):
        """A name for a session, which no other has."""
        self.count += 1
        return f"endurance-{self.lane}-{self.count}"

    def play(self, kind, *others, **fields):
        """A session from its start to its end, which reads from other connections too. Returns the digest of its
        output."""
        sound = self.sounds[kind]
        stream = Stream(self.address, sound.request(**fields))
        stream.feed(sound, self.seconds, self.pace, *others)
        return stream.finish()

    def begin(self, kind="plain", window=WINDOW, **fields):
        """A session that runs and has a little sound. It waits so many seconds for a client that vanishes."""
        sound = self.sounds[kind]
        request = sound.request(**fields)
        request.start.resume_window.FromSeconds(window)
        stream = Stream(self.address, request).begun()
        stream.feed(sound, SHORT, self.pace)
        # A session that has read no sound does not wait for its client.
        stream.until(lambda: stream.is_heard, "sound of the session")
        return stream

    def unary(self, path, message, wanted=OK):
        connection = wire.Connection(self.address)
        status, answer = connection.unary(path, message.SerializeToString(), timeout=60)
        connection.close()
        expect(status, wanted, path)
        return answer

    def get(self, path):
        connection = http.client.HTTPConnection(self.http_address, timeout=60)
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        expect(answer.status, 200, path)


@operation(weight=12)
def session(client):
    return client.play("plain")


@operation(weight=4)
def session_48(client):
    return client.play("plain_48")


@operation(weight=4)
def session_webrtc(client):
    return client.play("webrtc")


@operation(weight=4)
def session_opus(client):
    return client.play("opus")


@operation(weight=4)
def session_spatial(client):
    return client.play("spatial")


@operation(weight=4)
def session_websocket(client):
    sound = client.sounds["plain"]
    stream = WebSocketStream(client.http_address, sound.request())
    stream.feed(sound, client.seconds, client.pace)
    return stream.finish()


@operation()
def session_enrolled(client):
    """Learns a voice, gives it to a second session, which forgets it."""
    sound = client.sounds["isolated"]
    stream = Stream(client.address, sound.request())
    stream.feed(sound, ENROLLMENT, client.pace)
    digest = stream.finish()
    if not stream.voiceprint:
        raise Failure("no voice was learnt")
    second = sound.request(enroll_voice=False)
    second.start.voiceprint.CopyFrom(stream.voiceprint)
    stream = Stream(client.address, second)
    stream.feed(sound, SHORT, client.pace)
    stream.control(set_voiceprint=service.voice.SetVoiceprint())
    stream.feed(sound, SHORT, client.pace)
    return digest + stream.finish()


@operation()
def session_cancelled(client):
    stream = client.begin()
    stream.call.cancel()
    stream.connection.close()


@operation()
def session_lost(client):
    """Its client vanishes, and nobody comes back."""
    client.begin().connection.close()


@operation()
def session_lost_at_once(client):
    """Its client vanishes before any sound."""
    Stream(client.address, client.sounds["plain"].request()).connection.close()


@operation()
def session_resumed(client):
    sound = client.sounds["plain"]
    first = client.begin(window=LONGEST_WINDOW)
    first.connection.close()
    request = sound.request(resume_token=first.started.resume_token)
    request.start.resume_point.SetInParent()
    second = Stream(client.address, request).begun()
    if not second.started.HasField("resumed"):
        raise Failure("a session was not resumed")
    second.feed(sound, client.seconds, client.pace)
    second.finish()


@operation()
def session_deleted(client):
    name = client.name()
    stream = client.begin(session_id=name)
    client.unary(service.SESSIONS + "DeleteSession", sessions_pb2.DeleteSessionRequest(name=service.name(name)))
    stream.call.wait(60)
    stream.connection.close()


@operation()
def session_refused(client):
    """Starts that are wrong: a rate, an engine, a token, and sound before a start."""
    sound = client.sounds["plain"]
    wrong_rate = sound.request()
    wrong_rate.start.inputs.microphone.sample_rate_hz = 22050
    before = service.voice.ProcessRequest()
    before.audio.microphone.samples = bytes(320)
    for request in (wrong_rate, sound.request(engine="none"), sound.request(resume_token=bytes(16)), before):
        stream = Stream(client.address, request)
        status = stream.call.result(60)
        if status in (OK, None):
            raise Failure(f"a wrong start ended with {status}")
        stream.connection.close()


@operation()
def session_wrong_later(client):
    """A session that ends because its client sends what is no sound."""
    stream = client.begin()
    stream.call.send(service.audio(bytes(3)))
    expect(stream.call.result(60), INVALID_ARGUMENT, "half a sample")
    stream.connection.close()


@operation()
def session_unread(client):
    """A client that stops reading, and vanishes."""
    sound = client.sounds["plain"]
    request = sound.request()
    request.start.resume_window.FromSeconds(WINDOW)
    stream = Stream(client.address, request, reads=False)
    for message in sound.of(30):
        if not stream.call.send_data(message, timeout=0.05):
            break
        client.pace.advance(sound.seconds_each)
    stream.connection.close()


@operation()
def session_steered(client):
    """Mute, modes and settings from within, and from another client."""
    name = client.name()
    sound = client.sounds["plain"]
    stream = client.begin(session_id=name)
    for muted in (True, False):
        stream.control(set_mute=service.voice.SetMute(muted=muted))
        stream.feed(sound, SHORT, client.pace)
        request = sessions_pb2.SetMuteRequest(name=service.name(name), muted=muted)
        client.unary(service.SESSIONS + "SetMute", request)
        client.unary(service.SESSIONS + "ReportMuteGesture", sessions_pb2.ReportMuteGestureRequest(
            name=service.name(name), gesture_id=f"{muted}"))
    for mode in (2, 3, 1):
        update = sessions_pb2.UpdateSessionRequest()
        update.session.name = service.name(name)
        update.session.config.preferred_mic_mode = mode
        update.update_mask.paths.append("config.preferred_mic_mode")
        client.unary(service.SESSIONS + "UpdateSession", update)
        stream.feed(sound, SHORT, client.pace)
    client.unary(service.SESSIONS + "GetSession", sessions_pb2.GetSessionRequest(name=service.name(name)))
    stream.finish()


@operation()
def session_watched(client):
    """A watcher until the end of its session, and one that leaves before."""
    name = client.name()
    stream = client.begin(session_id=name)
    request = sessions_pb2.WatchSessionRequest(name=service.name(name))
    request.stats_interval.FromMilliseconds(100)
    watchers = [wire.Connection(client.address) for _ in range(2)]
    calls = [watcher.call(service.SESSIONS + "WatchSession") for watcher in watchers]
    for call in calls:
        call.send(request.SerializeToString(), end=True)
    for call in calls:
        call.wait(60, messages=1)
    watchers[0].close()
    stream.feed(client.sounds["plain"], client.seconds, client.pace, watchers[1])
    stream.finish()
    expect(calls[1].result(60), OK, "a watch")
    watchers[1].close()


@operation()
def session_recorded(client):
    name = client.name()
    request = service.recording_pb2.RecordSessionRequest(name=service.name(name))
    request.wait.FromSeconds(30)
    recorder = wire.Connection(client.address)
    call = recorder.call(service.SESSIONS + "RecordSession")
    call.send(request.SerializeToString(), end=True)
    call.wait(60, messages=1)
    digest = client.play("plain", recorder, session_id=name)
    expect(call.result(60), OK, "a recording")
    recorder.close()
    return digest


@operation()
def session_with_a_recorder_that_leaves(client):
    name = client.name()
    recorder = wire.Connection(client.address)
    call = recorder.call(service.SESSIONS + "RecordSession")
    request = service.recording_pb2.RecordSessionRequest(name=service.name(name))
    request.wait.FromSeconds(30)
    call.send(request.SerializeToString(), end=True)
    call.wait(60, messages=1)
    stream = client.begin(session_id=name)
    recorder.close()
    stream.finish()


@operation()
def session_injected(client):
    """Another client asks, is permitted, and speaks a text and a sound."""
    name = client.name()
    sound = client.sounds["plain"]
    stream = client.begin(session_id=name)
    control = wire.Connection(client.address)
    teller = [("anechoic-client", "teller")]
    asked = control.call(service.SESSIONS + "RequestInjectionPermission", teller)
    asked.send(sessions_pb2.RequestInjectionPermissionRequest(
        name=service.name(name), usage_description="a test").SerializeToString(), end=True)
    stream.until(lambda: stream.question, "question for permission")
    stream.control(decide_injection_permission=service.voice.InjectionPermissionDecision(
        client="teller", grant=True))
    expect(asked.result(60), OK, "a request for permission")
    call = control.call(service.SESSIONS + "InjectSpeech", teller)
    call.send(service.injection(name))
    call.send(service.injection_text("yes"), end=True)
    for _ in range(100):
        if call.has_ended:
            break
        stream.feed(sound, 0.5, client.pace)
        control.pump(0.01)
    expect(call.result(60), OK, f"an injection ({call.text})")
    stream.finish()
    control.close()


@operation()
def session_joined(client):
    """The playback of a session goes to another machine."""
    request = client.sounds["plain"].request()
    request.start.inputs.far_end.CopyFrom(service.audio_format())
    request.start.outputs.playback.CopyFrom(service.audio_format())
    request.start.outputs.playback_elsewhere = True
    request.start.inputs.ClearField("reference")
    stream = Stream(client.address, request).begun()
    other = wire.Connection(client.address)
    call = other.call(service.JOIN)
    call.send(service.voice.JoinSessionRequest(token=stream.started.join_token).SerializeToString(), end=True)
    call.wait(60, messages=1)
    for _ in range(3):
        stream.call.send(service.audio(bytes(3200)))
        stream.connection.pump()
        client.pace.advance(0.1)
    stream.finish()
    call.wait(60)
    other.close()


@operation()
def lists_and_lookups(client):
    client.unary(service.SESSIONS + "ListSessions", sessions_pb2.ListSessionsRequest(page_size=1000))
    client.unary(service.CAPABILITIES, service.voice.GetCapabilitiesRequest())
    client.unary(service.SESSIONS + "GetInjectionStatus", sessions_pb2.GetInjectionStatusRequest(
        name="sessions/nobody"))
    client.unary(service.SESSIONS + "GetSession", sessions_pb2.GetSessionRequest(
        name="sessions/nobody"), NOT_FOUND)
    client.unary(service.PROFILES + "ListProfiles", service.profiles_pb2.ListProfilesRequest())
    client.unary(service.ROUTING + "GetRouting", service.routing_pb2.GetRoutingRequest())
    client.unary(service.HEALTH, service.voice.GetCapabilitiesRequest())


@operation()
def watches_that_are_cut(client):
    """Watches of health, of injection and of nobody's session, which end with their connection."""
    connection = wire.Connection(client.address)
    health = connection.call(service.HEALTH_WATCH)
    health.send(b"", end=True)
    injection = connection.call(service.SESSIONS + "WatchInjection")
    injection.send(b"", end=True)
    nobody = connection.call(service.SESSIONS + "WatchSession")
    nobody.send(service.watch("nobody"), end=True)
    health.wait(60, messages=1)
    injection.wait(60, messages=1)
    expect(nobody.result(60), NOT_FOUND, "a watch of nobody")
    connection.close()


@operation()
def machine_that_registers(client):
    """One machine leaves the arbiter in order, and one is lost."""
    for is_lost in (False, True):
        connection = wire.Connection(client.address)
        call = connection.call(service.ARBITRATE)
        call.send(service.register(f"machine-{client.lane}-{is_lost}", group=f"group-{client.lane}"))
        call.send(service.activity(["headset"], media=True))
        call.wait(60, messages=2)
        if not is_lost:
            call.half_close()
            expect(call.result(60), OK, "a machine")
        connection.close()


@operation()
def http_requests(client):
    for path in ("/metrics", "/readyz", "/version", "/try"):
        client.get(path)


@operation()
def websocket_that_is_cut(client):
    sound = client.sounds["plain"]
    request = sound.request()
    request.start.resume_window.FromSeconds(WINDOW)
    stream = WebSocketStream(client.http_address, request)
    stream.feed(sound, SHORT, client.pace)
    stream.close()


@operation()
def connections_that_say_nothing_right(client):
    """Bytes that are neither HTTP/2 nor HTTP/1.1, and connections without a byte."""
    for address in (client.address, client.http_address):
        host, port = address.rsplit(":", 1)
        for data in (b"", os.urandom(64), b"GET"):
            with socket.create_connection((host, int(port)), timeout=60) as plain:
                plain.sendall(data)
