"""The frame processor and the output wrapper with the real livekit and livekit-agents."""

import asyncio
import time

import numpy as np
from conftest import in_loop, level
from livekit import rtc
from livekit.agents.voice import io
from soundcard import SoundCard

import anechoic
from anechoic.events import Backchannel, NotSpeech, TurnEnded, TurnInterruption, TurnStarted
from anechoic.livekit import AnechoicAudioOutput, AnechoicProcessor, AnechoicTurns


class Loudspeaker(io.AudioOutput):
    """An output that takes frames faster than it plays them, as a room's does."""

    def __init__(self, card):
        super().__init__(label="card", capabilities=io.AudioOutputCapabilities(pause=True), sample_rate=16000)
        self.card, self.waiting, self.task = card, [], None

    async def capture_frame(self, frame):
        await super().capture_frame(frame)
        self.waiting.append(np.frombuffer(frame.data, np.int16))
        if self.task is None:
            self.task = asyncio.create_task(self.play())

    async def play(self):
        self.on_playback_started(created_at=time.time())
        played = 0
        while self.waiting:
            samples = self.waiting.pop(0)
            for first in range(0, len(samples), 320):
                await self.card.play(samples[first:first + 320])
            played += len(samples)
        self.task = None
        self.on_playback_finished(playback_position=played / 16000, interrupted=False)

    def flush(self):
        super().flush()

    def clear_buffer(self):
        self.waiting.clear()


def frame(samples):
    return rtc.AudioFrame(samples.tobytes(), 16000, 1, len(samples))


@in_loop
async def test_the_agent_does_not_hear_itself_and_hears_who_barges_in(server, sample, reference):
    """The agent talks alone until 9 s. Then the near end talks, too. All speech is pushed at once."""
    near = anechoic.Recording.read(sample / "near.wav").samples[:14 * 16000]
    speech = np.tile(reference.samples[8000:136000], 2)
    for _ in range(3):
        card, heard, talk = await converse(server, near, speech)
        if card.underruns < 5:
            break  # A busy machine does not play in real time.
    recorded = np.concatenate(card.recorded)
    reduction = level(recorded, 3, 8.5) - level(heard, 3, 8.5)
    starts = [round(each.sample / 16000, 2) for each in talk]
    print(f"echo reduction {reduction:.1f} dB; voice at {starts}; {card.underruns} underruns")
    assert len(heard) == len(recorded)
    assert reduction > 15
    assert talk and talk[0].active and 8.8 < starts[0] < 11


async def converse(server, near, speech):
    """Returns the sound card, what the agent heard, and when it noticed that somebody talked."""
    card = SoundCard(near)
    processor = AnechoicProcessor(server, settings={"voice_activity_detection.enabled": True})
    output = AnechoicAudioOutput(processor, next_in_chain=Loudspeaker(card))
    heard, session = [], None
    async for samples in card.record():
        processed = processor._process(frame(samples))
        assert processed.samples_per_channel == len(samples)
        heard.append(np.frombuffer(processed.data, np.int16))
        if len(heard) == 10:
            for first in range(0, len(speech), 1600):
                await output.capture_frame(frame(speech[first:first + 1600]))
            output.flush()
        session = processor.live.session
    await processor.aclose()
    events = session._link.inbox.events._events
    talk = [each for each in events if isinstance(each, anechoic.VoiceActivityChanged)]
    return card, np.concatenate(heard), talk


@in_loop
async def test_an_interruption_takes_the_reference_back(server):
    processor = AnechoicProcessor(server)
    output = AnechoicAudioOutput(processor, next_in_chain=Loudspeaker(SoundCard(np.zeros(16000, np.int16))))
    noise = np.random.default_rng(1).normal(0, 1000, 320).astype(np.int16)
    processor.live.announce_reference(anechoic.Format(16000))
    processor._process(frame(noise))
    while processor.live.session is None:
        await asyncio.sleep(0.01)
    processor._process(frame(noise))
    await output.capture_frame(frame(np.tile(noise, 100)))
    output.emit("playback_started", io.PlaybackStartedEvent(created_at=0))
    track = processor.live.session._link.outbox.others["reference"]
    assert track.end >= 32000
    output.pause()
    assert track.end < 2000
    output.resume()
    assert track.end >= 31000
    output.clear_buffer()
    assert track.end < 2000
    await processor.aclose()


@in_loop
async def test_a_format_that_changes_in_mid_call_starts_a_new_session(server):
    processor = AnechoicProcessor(server)
    sessions = set()
    for rate in (24000, 48000, 48000):
        count = rate // 20
        for _ in range(3):
            sent = rtc.AudioFrame(bytes(2 * count), rate, 1, count)
            got = processor._process(sent)
            assert (got.sample_rate, got.samples_per_channel) == (rate, count)
        while processor.live.session is None:
            await asyncio.sleep(0.01)
        sessions.add(processor.live.session)
    assert len(sessions) == 2 and len({each.id for each in sessions}) == 1
    await processor.aclose()


@in_loop
async def test_a_server_that_goes_and_comes_is_noticed_and_sound_goes_on(start_server, microphone):
    server = start_server()
    processor = AnechoicProcessor(server.address)
    for count in range(400):
        got = processor._process(frame(microphone.samples[count * 320:(count + 1) * 320]))
        assert got.samples_per_channel == 320
        await asyncio.sleep(0.005)
        if count == 100:
            server.stop()
    assert not processor.live.session.is_connected and processor.live.replaced_samples > 60000
    end = 400 * 320 - (320 + 480)  # The raw audio passes at the same delay.
    assert np.array_equal(np.frombuffer(got.data, np.int16), microphone.samples[end - 320:end])
    await processor.aclose()


class Agent:
    """Keeps what is asked of an agent's session."""

    def __init__(self):
        self.asked = []

    def interrupt(self):
        self.asked.append("interrupt")

    def commit_user_turn(self):
        self.asked.append("commit")

    def clear_user_turn(self):
        raise RuntimeError("the agent does not run")


def of_turn(kind):
    """An event without all that does not matter."""
    values = {"id": 1, "time": None, "sample": 0, "began_at_sample": 0, "silent_from_sample": 0, "probability": 0.9}
    return kind(**{name: values[name] for name in kind.__dataclass_fields__})


@in_loop
async def test_turns_interrupt_and_commit_and_backchannels_do_neither(server):
    agent = Agent()
    turns = AnechoicTurns(AnechoicProcessor(server), agent)
    for kind in (Backchannel, NotSpeech, TurnStarted, TurnInterruption, TurnEnded, TurnEnded, TurnStarted, NotSpeech):
        turns._take(of_turn(kind))
    assert agent.asked == ["interrupt", "commit"]
