"""Does each operation many times, and looks for what a server keeps of it."""

import multiprocessing
import time

import lanes
from operations import OPERATIONS
from target import POOLS, Target

LANES = 4
# A server may hold so many MB more in the end: the pages that malloc splits differ from time to time.
SLACK = 0.5
MB = 1 << 20  # As Target.holding counts.
# The bytes that stay of an operation because of libraries that the server uses. libpcaudio's create_alsa_object
# allocates 96 bytes each time that eSpeak NG starts, of which malloc makes 112, and eSpeak NG does not free them.
KEPT = {"session_injected": 112}
# The most rounds of an operation whose memory grows. A leak grows in each of them.
ROUNDS = 3
RELOAD = "reload"


def names():
    return [*OPERATIONS, RELOAD]


def repeat(target, sounds, name, count):
    """Does an operation so many times, by several clients. Returns the first problem, or nothing."""
    if name == RELOAD:
        for _ in range(count):
            target.reload()
        return ""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work(lane):
        client = target.client(sounds, lane)
        for _ in range(count // LANES):
            OPERATIONS[name].run(client)

    processes = [
        lanes.spawn(lambda lane=lane: sender.send(lanes.attempt(lambda: work(lane))[1])) for lane in range(LANES)
    ]
    # Only clients hold the other end from here on, so that it closes with the last of them.
    sender.close()
    problems = []
    try:
        for _ in processes:
            problems.append(receiver.recv())
    except EOFError:
        problems.append("a client was killed")
    for process in processes:
        process.join()
    return next(filter(None, problems), "")


def check(target, sounds, name, count):
    """Prints a line. Returns whether nothing stays."""
    began = time.monotonic()
    problem = repeat(target, sounds, name, max(LANES, count // 5))
    before, faults = target.at_rest(0), []
    held = [before.memory]
    for _ in range(ROUNDS):
        problem = problem or repeat(target, sounds, name, count)
        after = target.at_rest(0)
        held.append(after.memory)
        faults = [problem] if problem else []
        if held[-1] > max(held[:-1]) + SLACK + KEPT.get(name, 0) * count / MB:
            faults.append(f"{MB * (held[-1] - held[-2]) / count:.0f} bytes stay of each")
        for kind, more in (("threads", POOLS), ("descriptors", 0)):
            if getattr(after, kind) > getattr(before, kind) + more:
                faults.append(f"{getattr(before, kind)} {kind} became {getattr(after, kind)}")
        if problem or not faults:
            break
    print(
        f"{'not ok' if faults else 'ok':7}{name:36}{time.monotonic() - began:6.0f} s  "
        f"{' '.join(f'{memory:.2f}' for memory in held)} MB, {after.threads} threads, "
        f"{after.descriptors} descriptors" + "".join(f"; {fault}" for fault in faults), flush=True)
    return not faults


def run(executable, count, chosen):
    """Returns whether nothing stays of any operation."""
    target = Target(executable)
    sounds = target.sounds()
    good = [check(target, sounds, name, count) for name in chosen or names()]
    if not target.server.stop():
        print(f"not ok the server did not stop in order: {target.server.fate}")
        return False
    return all(good)
