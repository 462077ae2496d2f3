"""Clients that take more than their share."""

import struct
import time
import zlib

import service
from raw_client import INITIAL_WINDOW_SIZE
from suite import attack
from wire import Connection, Pool

from attacks.calls import Victim

NOT_FOUND = 5


def gzip_bomb(megabytes):
    """A gzip stream of zeros, a thousandth of their size."""
    block = bytes(1 << 20)
    compressor = zlib.compressobj(9, wbits=-15)
    # After a full flush the same bytes may be repeated.
    first = compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
    checksum = 0
    for _ in range(megabytes):
        checksum = zlib.crc32(block, checksum)
    length = (megabytes << 20) & 0xFFFFFFFF
    return (b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + first * megabytes + compressor.flush()
            + struct.pack("<II", checksum, length))


@attack(memory=64)
def compressed_bomb(report):
    """A message of 3.9 MB that inflates to 3.9 GB, to three methods."""
    bomb = gzip_bomb(report.count(3900, least=400))
    for path in (service.PROCESS, service.SESSIONS + "SetMute", service.SESSIONS + "InjectSpeech"):
        connection = Connection(report.address)
        call = connection.call(path, [("grpc-encoding", "gzip")])
        call.send(bomb, end=True, flag=1)
        status = call.result(20)
        report.expect(status not in (None, 0), f"{path} answered a bomb with {status}")
        connection.close()


def length_delimited(number, body):
    """A protobuf field that holds bytes or a message."""
    length, size = bytearray(), len(body)
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes((number << 3 | 2, *length, size)) + body


@attack(memory=160)
def countless_fields(report):
    """Messages of nearly 4 MiB that consist of empty fields, to every method that takes a message."""
    count = ((4 << 20) - 64) // 2
    victim = Victim(report.address, "countless")
    for _ in range(report.count(20, least=3)):
        for field, inner in ((2, 3), (1, 1), (4, 9), (5, 2), (9, 9)):
            connection = Connection(report.address)
            call = connection.call(service.PROCESS)
            call.send(service.start())
            call.send(length_delimited(field, bytes((inner << 3 | 2, 0)) * count), end=True)
            status = call.result(20)
            # A control is refused in its result, and the session goes on to its end.
            expected = 0 if field == 4 else 3
            report.expect(status == expected, f"field {field} was answered with {status}")
            connection.close()
        for name in ("UpdateSession", "RequestInjectionPermission", "ReportMuteGesture"):
            connection = Connection(report.address)
            status, _ = connection.unary(service.SESSIONS + name, b"\x7a\0" * count)
            report.expect(status == 8, f"{name} was answered with {status}")
            connection.close()
    victim.close()


@attack(memory=256, full_only=True, refusals=(8, 14), options=("--max-memory", "128MiB"))
def incomplete_messages(report):
    """600 calls that each hold all but a byte of a message of 4 MiB."""
    pool = Pool(report.address, calls_each=20)
    size = (4 << 20) - 16
    end = time.monotonic() + max(6, 60 * report.scale)
    # The server may read more slowly, or close connections.
    for _ in range(report.count(600, least=150)):
        pool.call(service.PROCESS).send(bytes(size - 1), length=size, timeout=0.05)
        if time.monotonic() > end:
            break
    pool.pump(1)
    pool.close()


@attack(memory=200, refusals=(8, 14))
def streams_on_one_connection(report):
    """20,000 calls on one connection, whatever the server allows; then one more connection."""
    connection = Connection(report.address)
    for index in range(report.count(20_000, least=4000)):
        connection.call(service.PROCESS)
        if index % 100 == 0:
            connection.pump()
        if connection.is_closed:
            break
    status, _ = Connection(report.address).unary(service.CAPABILITIES, b"")
    report.expect(status == 0, f"another connection is answered with {status}")
    connection.pump(0.5)
    connection.close()


@attack(memory=64)
def reflection_streams(report):
    """500 reflection calls that stay open."""
    pool = Pool(report.address)
    calls = [pool.call(service.REFLECTION) for _ in range(report.count(500, least=100))]
    for call in calls:
        call.send(b"\x3a\x00", timeout=1)  # list_services
    pool.pump(5, until=lambda: all(call.messages or call.has_ended for call in calls))
    time.sleep(0.5)
    pool.close()


@attack()
def control_budget(report):
    """Three clients use up the budget of a session's controls while a fourth mutes."""
    victim = Victim(report.address, "steered")
    floods = [Connection(report.address) for _ in range(3)]
    honest = Connection(report.address)
    refused, tries = [], report.count(60, least=30)
    for turn in range(tries):
        due = time.monotonic() + 0.05
        call = None
        while time.monotonic() < due:
            for number, connection in enumerate(floods):
                for _ in range(min(20, 100 - connection.open_calls)):
                    flood = connection.call(
                        service.SESSIONS + "SetMute", [("anechoic-client", f"flood-{number}")])
                    flood.send(service.set_mute("steered", turn % 2 == 0), end=True)
                connection.pump()
            if call is None:
                call = honest.call(service.SESSIONS + "SetMute", [("anechoic-client", "honest")])
                call.send(service.set_mute("steered", turn % 2 == 1), end=True)
            honest.pump()
            victim.connection.pump()
        if (status := call.result()) != 0:
            refused.append(status)
    report.expect(not refused, f"{len(refused)} of {tries} honest controls were refused: {refused[:3]}")
    for connection in (*floods, honest, victim):
        connection.close()


@attack(memory=64, refusals=(8,), options=("--max-sessions", "60", "--idle-limit", "1s"))
def sessions_never_used(report):
    """1,000 calls that send only Start, again and again. Ten honest clients start a session
    nevertheless."""
    pool, idlers = Pool(report.address), []
    newcomers, connection = [], Connection(report.address)
    began = time.monotonic()
    while len(newcomers) < 10 and time.monotonic() < began + 20:
        idlers = [call for call in idlers if not call.has_ended]
        for _ in range(report.count(1000, least=200) - len(idlers)):
            idlers.append(pool.call(service.PROCESS, [("anechoic-client", "idler")]))
            idlers[-1].send(service.start(), timeout=1)
        pool.pump(0.3)
        call = connection.call(service.PROCESS, [("anechoic-client", "newcomer")])
        call.send(service.start())
        if call.wait(1, messages=1):
            newcomers.append(call)
        for call in newcomers:
            call.send(service.audio(bytes(320)))
            call.messages.clear()
    report.expect(len(newcomers) == 10, f"only {len(newcomers)} of 10 clients got in within 20 s")
    report.notes.append(f"{len(newcomers)} newcomers in {time.monotonic() - began:.1f} s")
    connection.close()
    pool.close()


@attack(memory=64, refusals=(8,), options=("--start-deadline", "2s"))
def calls_never_started(report):
    """1,000 calls that send only headers."""
    pool = Pool(report.address)
    calls = [pool.call(service.PROCESS) for _ in range(report.count(1000, least=200))]
    pool.pump(10, until=lambda: all(call.has_ended for call in calls))
    left = [call for call in calls if not call.has_ended]
    report.expect(not left, f"{len(left)} of {len(calls)} calls go on without a message")
    pool.close()


def never_reading_session(address, session, window):
    """A session on a connection that is never read, with a limited window."""
    connection = Connection(address, reads=False, extra_settings={INITIAL_WINDOW_SIZE: window})
    call = connection.call(service.PROCESS, [("anechoic-client", "deaf")])
    call.send(service.start(session=session))
    return connection


@attack(memory=32)
def media_client_never_reads(report):
    """Sessions whose clients never read, while others mute and unmute them for 70 s."""
    windows = {"deaf-0": 0, "deaf-1": 0, "deaf-2": 65535, "deaf-3": 65535}
    deaf = {name: never_reading_session(report.address, name, window)
            for name, window in windows.items()}
    control = {name: Connection(report.address) for name in windows}
    end = time.monotonic() + max(10, 70 * report.scale)
    turn, ended = 0, dict.fromkeys(windows, 0)
    time.sleep(0.2)
    while time.monotonic() < end:
        turn += 1
        calls = []
        for name, connection in control.items():
            for number in range(4):
                call = connection.call(
                    service.SESSIONS + "SetMute", [("anechoic-client", f"a{number % 2}")])
                call.send(service.set_mute(name, (turn + number) % 2 == 0), end=True)
                calls.append((name, call))
        for name, call in calls:
            if call.result() == NOT_FOUND:  # The server dropped the session.
                ended[name] += 1
                deaf[name].close()
                deaf[name] = never_reading_session(report.address, name, windows[name])
                time.sleep(0.05)
        time.sleep(0.01)
    report.notes.append(f"{turn * 16} controls, {sum(ended.values())} clients let go")
    report.expect(ended["deaf-0"] and ended["deaf-1"], "clients that take nothing are kept")
    for connection in (*deaf.values(), *control.values()):
        connection.close()


@attack(memory=64)
def watchers_never_read(report):
    """1,000 watchers that never read, of a session with many events."""
    victim = Victim(report.address, "seen")
    watchers = [Connection(report.address, reads=False) for _ in range(report.count(1000, 100) // 20)]
    for connection in watchers:
        for _ in range(20):
            connection.call(service.SESSIONS + "WatchSession").send(service.watch("seen"))
    control = Connection(report.address)
    end = time.monotonic() + max(3, 30 * report.scale)
    turn = 0
    while time.monotonic() < end:
        turn += 1
        control.unary(service.SESSIONS + "SetMute", service.set_mute("seen", turn % 2 == 0))
        victim.connection.pump()
    for connection in (*watchers, victim, control):
        connection.close()
