"""The frame processor and the output wrapper with the real livekit and livekit-agents."""

import asyncio
import time

import numpy as np
from conftest import in_loop, level
from livekit import rtc
from livekit.agents import Agent as VoiceAgent
from livekit.agents import AgentSession, vad
from livekit.agents.voice import io
from soundcard import SoundCard

import anechoic
from anechoic._output import Frame
from anechoic.events import (
    Backchannel, NotSpeech, Restarted, TurnContinued, TurnEnded, TurnInterruption, TurnMayEnd, TurnStarted,
)
from anechoic.livekit import (
    AnechoicAudioOutput, AnechoicProcessor, AnechoicTurnDetector, AnechoicTurns, AnechoicVAD,
)


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
    output.resume()  # As LiveKit does before each speech.
    await output.capture_frame(frame(np.tile(noise, 100)))
    assert output._live.session._link.outbox.others["reference"].end < 2000
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


class LateRoom(Loudspeaker):
    """A room that takes no frame before somebody listens."""

    async def capture_frame(self, frame):
        await asyncio.Event().wait()


@in_loop
async def test_speech_that_nobody_could_hear_is_not_waited_for():
    output = AnechoicAudioOutput(AnechoicProcessor("127.0.0.1:1"), next_in_chain=LateRoom(None))
    speaking = asyncio.create_task(output.capture_frame(frame(np.zeros(320, np.int16))))
    await asyncio.sleep(0)
    speaking.cancel()
    await asyncio.wait([speaking])
    output.flush()
    output.clear_buffer()
    await asyncio.wait_for(output.wait_for_playout(), 5)


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
    end = 400 * 320 - (320 + 960)  # The raw audio passes at the same delay.
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
    values = {"id": 1, "time": None, "sample": 0, "began_at_sample": 0, "silent_from_sample": 0, "probability": 0.9,
              "error": None, "lost_samples": 0}
    return kind(**{name: values[name] for name in kind.__dataclass_fields__})


@in_loop
async def test_turns_interrupt_and_commit_and_backchannels_do_neither(server):
    agent = Agent()
    turns = AnechoicTurns(AnechoicProcessor(server), agent)
    for kind in (Backchannel, NotSpeech, TurnStarted, TurnInterruption, TurnEnded, TurnEnded, TurnStarted, NotSpeech):
        turns._take(of_turn(kind))
    assert agent.asked == ["interrupt", "commit"]


@in_loop
async def test_a_muted_person_interrupts_and_commits_nothing(server):
    agent, processor = Agent(), AnechoicProcessor(server)
    turns, detector = AnechoicTurns(processor, agent), AnechoicTurnDetector(processor)
    processor.live.mute()
    for kind in (TurnStarted, TurnInterruption, TurnEnded):
        processor.live._tell(of_turn(kind))
    assert agent.asked == [] and not turns._has_turn and not detector._has_ended.is_set()


@in_loop
async def test_a_turn_whose_session_is_gone_is_committed_once(server):
    agent = Agent()
    turns = AnechoicTurns(AnechoicProcessor(server), agent)
    for kind in (Restarted, TurnStarted, Restarted, Restarted, TurnStarted, TurnEnded, Restarted):
        turns._take(of_turn(kind))
    assert agent.asked == ["commit", "commit"]


class Microphone(io.AudioInput):
    """The input of a session: a sound card whose frames a processor has processed."""

    def __init__(self, card, processor):
        super().__init__(label="card")
        self.frames = self.process(card, processor)

    async def process(self, card, processor):
        async for samples in card.record():
            yield processor._process(frame(samples))

    async def __anext__(self):
        return await self.frames.__anext__()


@in_loop
async def test_a_session_hears_when_somebody_talks(server, sample):
    """Somebody talks from 9.1 to 13.9 s of the sample, which here are 1.1 to 5.9 s."""
    near = anechoic.Recording.read(sample / "near.wav").samples[8 * 16000:16 * 16000].copy()
    near[6 * 16000:] = 0
    processor = AnechoicProcessor(server)
    session = AgentSession(vad=AnechoicVAD(processor, min_silence_duration=0.6), turn_handling={"turn_detection": "vad"})
    begun, states = asyncio.get_running_loop().time(), []
    session.on("user_state_changed", lambda event: states.append(
        (event.new_state, round(asyncio.get_running_loop().time() - begun, 2))))
    session.input.audio = Microphone(SoundCard(near), processor)
    await session.start(VoiceAgent(instructions=""))
    begun = asyncio.get_running_loop().time()
    await asyncio.sleep(8)
    await session.aclose()
    await processor.aclose()
    print(states)
    talk = [(state, at) for state, at in states if state in ("speaking", "listening")]
    assert talk[0][0] == "speaking" and 0.9 < talk[0][1] < 2.5
    assert talk[-1][0] == "listening" and 5 < talk[-1][1] < 8


def judged(processor, found):
    """Gives a processor results for the next frames, each of 10 ms."""
    results = processor.live.voice.results
    results.clear()
    results.extend(Frame(probability, probability >= 0.5, False) for probability in found)


@in_loop
async def test_speech_is_found_in_the_frames_with_the_probabilities_of_the_server(server):
    processor = AnechoicProcessor(server)
    processor._process(frame(np.zeros(320, np.int16)))
    stream = AnechoicVAD(processor, min_speech_duration=0.05, min_silence_duration=0.1).stream()
    # The results of the audio before the first frame wait, because nobody asked for them.
    found = [0.1] * 4 + [0.9] * 20 + [0.2] * 12
    judged(processor, [1.0] * 100 + found[:4])
    for start in range(0, len(found), 4):
        if start > 0:
            judged(processor, found[start:start + 4])
        stream.push_frame(frame(np.full(640, start, np.int16)))
        await asyncio.sleep(0)
        while processor.live.voice.results:
            await asyncio.sleep(0.001)
    stream.end_input()
    events = [event async for event in stream]
    await stream.aclose()
    inferences = [event for event in events if event.type is vad.VADEventType.INFERENCE_DONE]
    assert [event.probability for event in inferences] == found
    assert all(event.frames[0].samples_per_channel == 160 for event in inferences)
    (start,) = [event for event in events if event.type is vad.VADEventType.START_OF_SPEECH]
    (end,) = [event for event in events if event.type is vad.VADEventType.END_OF_SPEECH]
    assert (start.samples_index, start.speaking, round(start.speech_duration, 3)) == (9 * 160, True, 0.05)
    assert (end.samples_index, end.speaking) == (34 * 160, False)
    assert (round(end.speech_duration, 3), round(end.silence_duration, 3)) == (0.2, 0.1)
    assert end.frames[0].samples_per_channel == 34 * 160
    await processor.aclose()


@in_loop
async def test_a_stereo_frame_and_odd_lengths_are_judged_too():
    processor = AnechoicProcessor("127.0.0.1:1")
    stream = AnechoicVAD(processor).stream()
    for count in (1, 100, 333, 480):
        stream.push_frame(rtc.AudioFrame(np.full((count, 2), 9000, np.int16).tobytes(), 48000, 2, count))
    stream.push_frame(frame(np.zeros(160, np.int16)))
    stream.end_input()
    events = [event async for event in stream]
    assert [event.probability for event in events] == [1.0, 0.0]
    await stream.aclose()


@in_loop
async def test_the_detector_of_turns_waits_for_the_server(server):
    processor = AnechoicProcessor(server)
    detector = AnechoicTurnDetector(processor)
    session = AgentSession(turn_handling={"turn_detection": detector})
    assert session.turn_detection is detector
    assert await detector.supports_language(None) and await detector.unlikely_threshold(None) == 0.5
    processor._process(frame(np.zeros(320, np.int16)))
    while processor.live.session is None:
        await asyncio.sleep(0.01)
    assert await detector.predict_end_of_turn(None) == 1
    for kind in (TurnStarted, TurnMayEnd, TurnContinued):
        detector._take(of_turn(kind))
        expected = 0.9 if kind is TurnMayEnd else 0
        assert await detector.predict_end_of_turn(None, timeout=0.01) == expected
    waiting = asyncio.create_task(detector.predict_end_of_turn(None))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    detector._take(of_turn(TurnEnded))
    assert await waiting == 1
    await processor.aclose()
    detector._take(of_turn(TurnStarted))
    assert await detector.predict_end_of_turn(None) == 1


@in_loop
async def test_a_turn_does_not_outlast_its_session(server):
    processor = AnechoicProcessor(server)
    detector = AnechoicTurnDetector(processor)
    for _ in range(2):
        processor._process(frame(np.zeros(320, np.int16)))
        while processor.live.session is None:
            await asyncio.sleep(0.01)
        assert await detector.predict_end_of_turn(None, timeout=0.01) == 1
        detector._take(of_turn(TurnStarted))
        assert await detector.predict_end_of_turn(None, timeout=0.01) == 0
        detector._take(of_turn(Restarted))
        assert await detector.predict_end_of_turn(None, timeout=0.01) == 1
        detector._take(of_turn(TurnStarted))
        await processor.aclose()
