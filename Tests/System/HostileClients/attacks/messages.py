"""Messages that are almost valid."""

import random

import service
from suite import attack
from wire import Connection

from attacks.calls import Victim


def valid_requests(session):
    """Requests for every method, with every field set."""
    voice, sessions = service.voice, service.sessions_pb2
    start = voice.ProcessRequest.FromString(service.start(reference=True, playback=True, a="b"))
    config = start.start.config
    config.voice_processing.echo_cancellation.enabled = True
    config.voice_processing.noise_suppression.level = 3
    config.voice_processing.gain_control.target_level_dbfs = 3
    config.other_audio_ducking.level = 20
    config.mute.gesture_policy = 2
    config.mute.gesture_decision_timeout.FromMilliseconds(500)
    config.voice_activity_detection.start_window.FromMilliseconds(100)
    config.preferred_injection_mode = 2
    start.start.inputs.other_audio.CopyFrom(service.audio_format())
    start.start.stats_interval.FromMilliseconds(200)
    start.start.outputs.chunk_duration.FromMilliseconds(20)
    audio = voice.ProcessRequest()
    for chunk in (audio.audio.microphone, audio.audio.reference, audio.audio.far_end,
                  audio.audio.other_audio):
        chunk.samples, chunk.first_sample, chunk.device_time_ns = bytes(320), 160, 10_000_000
        chunk.gap_before = 1
    controls = []
    for change in range(5):
        request = voice.ProcessRequest()
        control = request.control
        control.control_id, control.at_sample = change + 1, 320
        if change == 0:
            control.update_config.config.CopyFrom(config)
            control.update_config.update_mask.paths.extend(
                ["preferred_mic_mode", "voice_processing.noise_suppression", "mute"])
        elif change == 1:
            control.set_mute.muted, control.set_mute.if_generation = True, 1
        elif change == 2:
            control.decide_mute_gesture.gesture_id = "g"
        elif change == 3:
            control.decide_injection_permission.client = "c"
            control.decide_injection_permission.grant = True
        else:
            control.clear_playback.SetInParent()
        controls.append(request)
    heard = voice.ProcessRequest()
    heard.playback_report.first_sample, heard.playback_report.device_time_ns = 160, 20_000_000
    heard.playback_report.silence_samples, heard.playback_report.rate_ppm = 3, 12.5
    heard.playback_report.skipped_samples = 2
    device = voice.ProcessRequest()
    changed = device.device_report.route_changed
    changed.reason, changed.current.input.port_id = 1, "usb"
    changed.current.output.display_name, changed.current.output.headphones = "Speaker", True
    interrupted = voice.ProcessRequest()
    interrupted.device_report.interruption.began = True
    interrupted.device_report.interruption.reason = 1
    name = service.name(session)
    update = sessions.UpdateSessionRequest()
    update.session.name = name
    update.session.config.CopyFrom(config)
    update.session.labels["key"] = "value"
    update.update_mask.paths.extend(["config.preferred_mic_mode", "labels", "config.mute"])
    inject = sessions.InjectSpeechRequest()
    inject.start.name, inject.start.injection_id, inject.start.voice = name, "i", "en"
    inject.start.format.CopyFrom(service.audio_format())
    piece = sessions.InjectSpeechRequest()
    piece.audio.samples = bytes(320)
    watched = sessions.WatchSessionRequest(name=name, from_event_id=1)
    watched.stats_interval.FromMilliseconds(100)
    requests = {
        service.PROCESS: [start, audio, *controls, heard, device, interrupted],
        service.JOIN: [voice.JoinSessionRequest(token=bytes(16))],
        service.CAPABILITIES: [voice.GetCapabilitiesRequest()],
        service.HEALTH: [b"\x0a\x08anechoic"], service.HEALTH_WATCH: [b"\x0a\x08anechoic"],
        service.REFLECTION: [b"\x3a\x01*", b"\x22\x1banechoic.v1.SessionService.Get",
                             b"\x1a\x10google/rpc/status", b"\x2a\x06\x0a\x02ab\x10\x05"],
    }
    for method, message in {
        "ListSessions": sessions.ListSessionsRequest(page_size=5, page_token="abc"),
        "GetSession": sessions.GetSessionRequest(name=name),
        "UpdateSession": update,
        "DeleteSession": sessions.DeleteSessionRequest(name=name),
        "SetMute": sessions.SetMuteRequest(name=name, muted=True, if_generation=1),
        "ReportMuteGesture": sessions.ReportMuteGestureRequest(
            name=name, gesture_id="g", muted=True),
        "WatchSession": watched,
        "RequestInjectionPermission": sessions.RequestInjectionPermissionRequest(
            name=name, usage_description="to speak"),
        "RecordSession": service.recording_pb2.RecordSessionRequest.FromString(
            service.record("later", 10)),
    }.items():
        requests[service.SESSIONS + method] = [message]
    requests[service.SESSIONS + "InjectSpeech"] = [
        inject, piece, sessions.InjectSpeechRequest(text="one word")]
    routing = service.routing_pb2
    activity = routing.ArbitrateRequest.FromString(service.activity(["headset", "buds"], media=True))
    activity.activity.chosen_headsets.append("buds")
    activity.activity.since_user_input.FromMilliseconds(500)
    requests[service.ARBITRATE] = [service.register("desk", group="anna"), activity]
    requests[service.ROUTING + "GetRouting"] = [routing.GetRoutingRequest(group="anna")]
    requests[service.ROUTING + "ChooseHolder"] = [routing.ChooseHolderRequest(
        group="anna", headset="headset", machine="desk", until_released=True)]
    return {
        path: [m if isinstance(m, bytes) else m.SerializeToString() for m in messages]
        for path, messages in requests.items()
    }


EXTREMES = [b"\xff" * 9 + b"\x01", b"\x80" * 9 + b"\x01", b"\xff\xff\xff\xff\x07", b"\x00", b"\x7f",
            b"\x00\x00\x00\x00\x00\x00\xf0\x7f", b"\x00\x00\x00\x00\x00\x00\xf8\xff"]


def mutated(message, others, generator):
    """The message with one to four changes: bits, bytes, extreme numbers, pieces of others."""
    data = bytearray(message)
    for _ in range(generator.randrange(1, 5)):
        at = generator.randrange(len(data) + 1)
        act = generator.randrange(7)
        if act == 0 and data:
            data[at % len(data)] ^= 1 << generator.randrange(8)
        elif act == 1 and data:
            data[at % len(data)] = generator.randrange(256)
        elif act == 2:
            data[at:at + generator.randrange(6)] = b""
        elif act == 3:
            data[at:at] = generator.randbytes(generator.randrange(1, 6))
        elif act == 4:
            data[at:at + 1] = generator.choice(EXTREMES)
        elif act == 5:
            other = generator.choice(others)
            begin = generator.randrange(len(other) + 1)
            data[at:at] = other[begin:begin + generator.randrange(40)]
        else:
            data += data[:generator.randrange(len(data) + 1)]
    return bytes(data)


@attack(options=("--allow-recording",), memory=100)
def mutated_messages(report):
    """50,000 mutations of valid requests to every method, in sessions that run."""
    generator = random.Random(6)
    requests = valid_requests("mutant")
    paths = sorted(requests)
    everything = [message for messages in requests.values() for message in messages]
    victim, sent, statuses = None, 0, {}
    connections = [Connection(report.address) for _ in range(4)]
    total = report.count(50_000, least=5000)
    while sent < total:
        if victim is None or victim.call.has_ended or sent % 500 == 0:
            if victim:
                victim.close()
            victim = Victim(report.address, "mutant", media_clock=generator.random() < 0.5)
        index = generator.randrange(len(connections))
        if connections[index].is_closed:
            connections[index] = Connection(report.address)
        path = generator.choice(paths)
        call = connections[index].call(path, [("grpc-timeout", "2S")])
        if path == service.PROCESS:
            start = requests[path][0]
            call.send(start if generator.random() < 0.8 else mutated(start, everything, generator),
                      timeout=0.2)
            sent += 1
        for _ in range(generator.randrange(1, 8)):
            message = generator.choice(requests[path])
            call.send(mutated(message, everything, generator), timeout=0.2)
            sent += 1
        call.half_close()
        connections[index].pump()
        if connections[index].open_calls > 40:
            status = call.result(3)
            statuses[status] = statuses.get(status, 0) + 1
    for connection in connections:
        connection.close()
    victim.close()
    report.expect(None not in statuses, f"{statuses.get(None)} calls did not end in 3 s")


@attack(memory=64, full_only=True)
def long_names(report):
    """Health checks and watches of a service with a name of 1 MB; names of 1 MB elsewhere."""
    text = "n" * (1 << 20)
    name = b"\x0a\x80\x80\x40" + text.encode()
    messages = {
        service.HEALTH: name,
        service.SESSIONS + "GetSession": name,
        service.SESSIONS + "ListSessions": service.sessions_pb2.ListSessionsRequest(
            page_token=text).SerializeToString(),
        service.SESSIONS + "SetMute": name,
        service.SESSIONS + "ReportMuteGesture": name,
        service.ROUTING + "GetRouting": name,
        service.REFLECTION: b"\x22\x80\x80\x40" + text.encode(),
    }
    connection = Connection(report.address)
    for _ in range(report.count(30)):
        for path, message in messages.items():
            call = connection.call(path)
            call.send(message, end=True)
            status = call.result()
            report.expect(status is not None, f"{path} does not answer a name of 1 MB")
            answer = len(call.received) + sum(map(len, call.messages)) + len(call.text)
            report.expect(answer < 10_000, f"{path} answers a name of 1 MB with {answer} bytes")
    watches = [connection.call(service.HEALTH_WATCH) for _ in range(report.count(50))]
    for call in watches:
        call.send(name)
    connection.pump(0.5)
    connection.close()
