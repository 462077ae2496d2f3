"""Machines that misuse the arbiter of automatic switching."""

import time

import raw_client
import service
from suite import attack
from wire import Connection, Pool

INVALID_ARGUMENT, RESOURCE_EXHAUSTED = 3, 8
MOST_MACHINES = 256


def names_of_every_kind(report, address):
    control = Connection(address)
    for name in ("m" * 64, "m" * 4000, "a/b", "\x1b[2J", "é", ""):
        call = control.call(service.ARBITRATE)
        call.send(service.register(name))
        report.expect(call.result() == INVALID_ARGUMENT, f"the name {name[:5]!r} ends with {call.status}")
    call = control.call(service.ARBITRATE)
    call.send(service.register("m" * 20_000))
    report.expect(call.result() == RESOURCE_EXHAUSTED, f"a name of 20 KB ends with {call.status}")
    call = control.call(service.ARBITRATE)
    call.send(service.register("desk"))
    call.send(service.activity([f"h{number}" for number in range(17)]))
    report.expect(call.result() == INVALID_ARGUMENT, f"17 headsets end with {call.status}")
    control.close()


def machines_without_end(report, address):
    pool = Pool(address)
    calls = []
    for number in range(report.count(2000, least=400)):
        calls.append(pool.call(service.ARBITRATE))
        calls[-1].send(service.register(f"m{number}", group=f"g{number // 20}"))
    pool.pump(20, until=lambda: all(call.messages or call.has_ended for call in calls))
    admitted = [call for call in calls if not call.has_ended]
    report.expect(len(admitted) == MOST_MACHINES, f"{len(admitted)} machines of one host are registered")
    refused = {call.status for call in calls if call.has_ended}
    report.expect(refused == {RESOURCE_EXHAUSTED}, f"others end with {refused}")
    for call in admitted:
        call.half_close()
    pool.pump(20, until=lambda: all(call.has_ended for call in admitted))
    report.expect(all(call.status == 0 for call in admitted), "some machines cannot leave")
    pool.close()


def floods_of_activity(report, address):
    for turn in range(report.count(20)):
        connection = Connection(address)
        call = connection.call(service.ARBITRATE)
        call.send(service.register(f"flood-{turn}"))
        for number in range(2000):
            if call.has_ended:
                break
            call.send(service.activity(["headset"], media=number % 2 == 0), timeout=1)
        report.expect(call.result() == RESOURCE_EXHAUSTED, f"a flood ends with {call.status}")
        connection.close()


def machines_that_never_read(report, address):
    """Their windows take nothing. They get the status of a slow client, and others go on."""
    stalled = []
    for number in range(20):
        connection = raw_client.Connection(
            address, reads=False, extra_settings={raw_client.INITIAL_WINDOW_SIZE: 0})
        stalled.append((connection, connection.call(service.ARBITRATE)))
        stalled[-1][1].send(service.register(f"stalled-{number}", group="slow"))
    connection = Connection(address)
    desk = connection.call(service.ARBITRATE)
    desk.send(service.register("desk", group="slow"))
    begin = time.monotonic()
    desk.send(service.activity(["headset"]))
    desk.wait(10, messages=2)
    report.expect(len(desk.messages) >= 2, "no decision beside machines that never read")
    report.expect(time.monotonic() - begin < 10, "a decision was late")
    end = time.monotonic() + 30
    while time.monotonic() < end and not all(call.has_ended for _, call in stalled):
        for stuck, _ in stalled:
            stuck.pump(0.01)
    report.expect(all(call.has_ended for _, call in stalled), "machines that never read go on")
    for stuck, _ in stalled:
        stuck.close()
    connection.close()


@attack(memory=64)
def hostile_machines(report):
    """Machines with wrong names, too many machines, floods of activity, and machines that never read."""
    names_of_every_kind(report, report.address)
    machines_without_end(report, report.address)
    floods_of_activity(report, report.address)
    machines_that_never_read(report, report.address)
