"""Files that are almost profiles for spatial audio."""

import random
import time
from pathlib import Path

import service
from suite import attack
from wire import Connection, Pool

KEMAR = Path("/usr/share/libmysofa/MIT_KEMAR_normal_pinna.sofa")
PIECE = 64 << 10


def start(profile):
    request = service.profiles_pb2.UploadProfileRequest()
    request.start.profile_id = profile
    return request.SerializeToString()


def piece(data):
    return service.profiles_pb2.UploadProfileRequest(sofa=data).SerializeToString()


def upload(connection, file, profile="ears", timeout=30):
    """Returns the status of an upload."""
    call = connection.call(service.PROFILES + "UploadProfile")
    call.send(start(profile))
    for place in range(0, len(file), PIECE):
        call.send(piece(file[place:place + PIECE]))
    call.half_close()
    return call.result(timeout)


def mutated(file, generator):
    """The file with some changes. Half of them are near the beginning, where its structure is."""
    data = bytearray(file)
    for _ in range(generator.choice((1, 3, 10, 100))):
        reach = generator.choice((512, 16384, len(data)))
        at = generator.randrange(min(reach, len(data)))
        act = generator.randrange(5)
        if act == 0:
            data[at] ^= 1 << generator.randrange(8)
        elif act == 1:
            data[at] = generator.randrange(256)
        elif act == 2:
            data[at:at + 8] = generator.choice((bytes(8), b"\xff" * 8, b"\x7f" * 8))
        elif act == 3:
            del data[at:at + generator.randrange(1, 64)]
        elif generator.random() < 0.1:
            del data[at:]
        if len(data) < 64:
            break
    return bytes(data)


@attack(memory=160)
def mutated_profiles(report):
    """400 uploads of a SOFA file whose bytes were changed, and the whole file at the end. The short form
    ends after some seconds, because each upload starts a process."""
    file, generator = KEMAR.read_bytes(), random.Random(5)
    connection, answers = Connection(report.address), {}
    end = time.monotonic() + (5 if report.scale < 0.5 else 600)
    for turn in range(report.count(400)):
        if turn >= 8 and time.monotonic() > end:
            break
        status = upload(connection, mutated(file, generator))
        answers[status] = answers.get(status, 0) + 1
        # A change of a sample leaves a valid file.
        report.expect(status in (0, 3), f"a mutation was answered with {status}")
    report.notes.append(f"{answers.get(0, 0)} read, {answers.get(3, 0)} refused")
    report.expect(upload(connection, file) == 0, "the whole file is refused")
    connection.unary(
        service.PROFILES + "DeleteProfile",
        service.profiles_pb2.DeleteProfileRequest(profile_id="ears").SerializeToString())
    connection.close()


@attack(memory=160)
def stalled_uploads(report):
    """200 uploads that send a part of their file and wait. One host has two places, for 10 s each."""
    pool = Pool(report.address)
    calls = [pool.call(service.PROFILES + "UploadProfile", [("anechoic-client", f"c{index}")])
             for index in range(report.count(200, least=50))]
    for call in calls:
        call.send(start("ears"), timeout=1)
        call.send(piece(bytes(PIECE)), timeout=1)
    end = time.monotonic() + 25
    pool.pump(25, until=lambda: all(call.has_ended for call in calls))
    left = [call for call in calls if not call.has_ended]
    report.expect(not left, f"{len(left)} of {len(calls)} stalled uploads go on")
    report.expect(time.monotonic() < end, "stalled uploads last longer than 25 s")
    pool.close()
    connection = Connection(report.address)
    report.expect(upload(connection, b"no profile") == 3, "no upload is read after the stalled ones")
    connection.close()
