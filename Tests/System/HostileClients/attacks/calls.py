"""Calls that continue after their end."""

import random
import time

import service
from suite import attack
from wire import Connection, Pool


class Victim:
    """A session in real time that attacks may control. It has a few frames of audio."""

    def __init__(self, address, session, **options):
        self.session = session
        self.connection = Connection(address)
        self.call = self.connection.call(service.PROCESS, [("anechoic-client", "victim")])
        self.call.send(service.start(session=session, **options))
        self.call.wait(5, messages=1)
        for samples in service.noise(3, seed=3):
            self.call.send(service.audio(samples))

    def close(self):
        self.connection.close()


@attack(memory=64)
def second_message_to_watch(report):
    """Watchers of a session that is deleted send a second message within 20 ms."""
    for count in (20, 100, report.count(500, least=20)):
        victim = Victim(report.address, f"victim-{count}")
        control, pool = Connection(report.address), Pool(report.address)
        calls = []
        for _ in range(count):  # One by one, because calls without a message are limited.
            calls.append(pool.call(service.SESSIONS + "WatchSession"))
            calls[-1].send(service.watch(victim.session))
        pool.pump(10, until=lambda: all(call.messages or call.has_ended for call in calls))
        report.expect(all(call.messages for call in calls), f"{count} watchers got no snapshot")
        deletion = control.call(service.SESSIONS + "DeleteSession")
        deletion.send(service.delete(victim.session), end=True)
        for call in calls:
            call.send(service.watch(victim.session), timeout=1)
        pool.pump(10, until=lambda: all(call.has_ended for call in calls))
        report.expect(all(call.has_ended for call in calls), f"of {count} watchers some go on")
        for connection in (pool, control, victim):
            connection.close()


@attack(options=("--allow-recording",), memory=64)
def second_message_to_record(report):
    """Recorders that wait 1 ms for their session send a second message at about that time."""
    generator = random.Random(1)
    for turn in range(3):
        pool = Pool(report.address)
        calls = [pool.call(service.SESSIONS + "RecordSession")
                 for _ in range(report.count(500, least=50))]
        for index, call in enumerate(calls):
            request = service.record(f"nobody-{turn}-{index}", wait_ms=1)
            call.send(request, timeout=1)
            if generator.random() < 0.5:
                time.sleep(generator.uniform(0, 0.002))
            call.send(request, timeout=1)
        pool.pump(10, until=lambda: all(call.has_ended for call in calls))
        report.expect(all(call.has_ended for call in calls), "some recorders go on")
        pool.close()


@attack(options=("--allow-recording",), memory=64)
def calls_in_any_order(report):
    """Every method receives messages, ends and resets in orders that no library allows,
    while sessions come and go."""
    generator = random.Random(2)
    requests = {
        service.PROCESS: [
            service.start(session="any"), service.start(), service.audio(bytes(320)), b"", b"\xff",
        ],
        service.SESSIONS + "WatchSession": [service.watch("any"), service.watch("nobody"), b"\x80"],
        service.SESSIONS + "RecordSession": [
            service.record("any", 1), service.record("later", 20), b"\x80"],
        service.SESSIONS + "InjectSpeech": [
            service.injection("any"), service.injection_text("word"), b"\x80"],
        service.SESSIONS + "SetMute": [service.set_mute("any", True), b"\x80"],
        service.SESSIONS + "DeleteSession": [service.delete("any"), b"\x80"],
        service.SESSIONS + "ListSessions": [b"", b"\x80"],
        service.ARBITRATE: [
            service.register("desk"), service.activity(["headset"], media=True), b"", b"\x80"],
        service.ROUTING + "GetRouting": [b"", b"\x80"],
        service.ROUTING + "ChooseHolder": [b"", b"\x80"],
        service.CAPABILITIES: [b"", b"\x80"],
        service.HEALTH: [b"", b"\x80"],
        service.HEALTH_WATCH: [b"", b"\x80"],
        service.REFLECTION: [b"", b"\x3a\x00", b"\x80"],
        "/anechoic.v1.Nothing/None": [b""],
    }
    paths = list(requests)
    pool, calls = Pool(report.address), []
    for _ in range(report.count(40_000)):
        act = generator.random()
        if not calls or act < 0.25:
            path = generator.choice(paths)
            calls.append(pool.call(path))
            calls[-1].requests = requests[path if act > 0.02 else generator.choice(paths)]
        call = generator.choice(calls)
        if call.has_ended or call.connection.is_closed:
            calls.remove(call)
        elif act < 0.75:
            call.send(generator.choice(call.requests), timeout=0.05)
        elif act < 0.85:
            call.half_close()
        elif act < 0.95:
            call.cancel()
            calls.remove(call)
        if len(calls) > 300:
            calls.pop(0).cancel()
        if act > 0.98:
            pool.pump()
    pool.close()
