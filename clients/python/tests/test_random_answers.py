"""A server that answers at random: frames come out, sessions end, and nothing is reported as a bug."""

import asyncio
import random
import resource

import numpy as np
import pytest
from conftest import in_loop
from google.protobuf.descriptor import FieldDescriptor
from hostile import HostileServer, faults

import anechoic
from anechoic import Format
from anechoic.v1 import voice_processing_pb2 as api

VALUES = {
    FieldDescriptor.CPPTYPE_INT32: [0, 1, -1, 2**31 - 1, -2**31], FieldDescriptor.CPPTYPE_UINT32: [0, 1, 2**32 - 1],
    FieldDescriptor.CPPTYPE_INT64: [0, 320, -1, 2**63 - 1, -2**63], FieldDescriptor.CPPTYPE_UINT64: [0, 1, 2**64 - 1],
    FieldDescriptor.CPPTYPE_DOUBLE: [0, 1, float("nan"), float("inf"), -1e300],
    FieldDescriptor.CPPTYPE_FLOAT: [0, 1, float("nan"), float("inf"), -1e38],
    FieldDescriptor.CPPTYPE_ENUM: [0, 1, 99], FieldDescriptor.CPPTYPE_BOOL: [False, True],
}


class Answers:
    """Makes messages and calls by chance."""

    def __init__(self, seed):
        self.chance = random.Random(seed)

    def filled(self, message, depth=0):
        for field in message.DESCRIPTOR.fields:
            is_many = field.label == FieldDescriptor.LABEL_REPEATED
            if self.chance.random() < 0.5 or depth > 5 or (is_many and field.message_type is None):
                continue
            if field.message_type is not None and not field.message_type.GetOptions().map_entry:
                part = getattr(message, field.name)
                self.filled(part.add() if is_many else part, depth + 1)
                if not is_many:
                    part.SetInParent()
            elif field.message_type is None:
                setattr(message, field.name, self.value(field))
        return message

    def value(self, field):
        if field.type == FieldDescriptor.TYPE_BYTES:
            return self.chance.randbytes(self.chance.choice([0, 1, 640, 641, 40000]))
        if field.type == FieldDescriptor.TYPE_STRING:
            return self.chance.choice(["", "a", "sessions/a", "ü\n", "x" * 70000])
        return self.chance.choice(VALUES[field.cpp_type])

    def response(self):
        response = api.ProcessResponse()
        kind = self.chance.choice(["audio", "event", "control_result", "stats", "started"])
        self.filled(getattr(response, kind)).SetInParent()
        return response

    async def serve(self, call):
        chance = self.chance
        if chance.random() < 0.2:
            code = chance.choice(["UNAVAILABLE", "NOT_FOUND", "ALREADY_EXISTS", "RESOURCE_EXHAUSTED", "OUT_OF_RANGE"])
            return await call.end(code, chance.choice(["", "DRAINING"]), chance.choice([None, 0, -1, 2**62]))
        await (call.write(self.response()) if chance.random() < 0.3 else call.accept())
        for _ in range(chance.randrange(60)):
            request = await call.read()
            if request is None:
                return
            if request.HasField("control"):
                too_many = ("RESOURCE_EXHAUSTED", "TOO_MANY_CONTROLS")
                await call.answer(request.control, chance.choice([None, too_many, ("NOT_FOUND", "X")]))
            elif request.HasField("audio") and chance.random() < 0.6:
                chunk = request.audio.microphone
                await call.audio(chunk.first_sample + chance.choice([0, 0, -100, 320]), chunk.samples)
            else:
                await call.write(self.response() if chance.random() < 0.95 else chance.randbytes(20))
        if chance.random() < 0.7:
            await call.end(chance.choice(["UNAVAILABLE", "INTERNAL"]), chance.choice(["", "DRAINING"]))


async def filter_frames(address, format, end, chance):
    live, now = anechoic.LiveFilter(address, on_mute_gesture=lambda _: True), asyncio.get_running_loop().time
    level = 0.1 if format.encoding == "f32" else 100
    frame = np.full((format.rate // 50, format.channels), level, format.dtype).tobytes()
    while now() < end:
        heard = live.exchange(frame, format)
        assert len(heard) == len(frame)
        assert format.encoding == "s16" or np.isfinite(np.frombuffer(heard, format.dtype)).all()
        if chance.random() < 0.1:
            chance.choice([live.mute, live.unmute])()
        if chance.random() < 0.02:
            await asyncio.wait_for(live.close(), 10)
        await asyncio.sleep(0.02)
    await asyncio.wait_for(live.close(), 10)


async def run_sessions(address, end, chance):
    limits = anechoic.Reconnect(longest_outage=1)
    while asyncio.get_running_loop().time() < end:
        playback, is_live = chance.choice([None, Format(48000), Format(44100, 2)]), chance.random() < 0.6
        try:
            session = anechoic.Session(
                address, microphone=Format(16000), playback=playback, real_time=is_live, reconnect=limits)
            async with session:
                muting = asyncio.create_task(session.mute())
                try:
                    await asyncio.wait_for(anext(session.process(np.zeros(16000, np.int16)), None), 5)
                finally:
                    muting.cancel()
                    await asyncio.gather(muting, return_exceptions=True)
        except (anechoic.AnechoicError, asyncio.TimeoutError) as error:
            assert "the session has failed" not in str(error)


@pytest.mark.parametrize("seed", [1, 2])
@in_loop
async def test_random_answers_break_nothing(seed, caplog):
    answers, chance = Answers(seed), random.Random(seed)
    async with HostileServer(answers.serve) as server:
        end = asyncio.get_running_loop().time() + 6
        formats = [Format(16000), Format(16000, encoding="f32"), Format(48000, 2)]
        await asyncio.gather(
            *(filter_frames(server.address, format, end, chance) for format in formats),
            *(run_sessions(server.address, end, chance) for _ in range(2)))
    assert len(server.starts) > 10
    assert not faults(caplog)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 1 << 20  # KiB.
