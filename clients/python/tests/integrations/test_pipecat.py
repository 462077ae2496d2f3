"""The filters and the analyzer in a pipeline of the real pipecat-ai."""

import asyncio

import numpy as np
from conftest import in_loop, level
from pipecat.audio.turn.base_turn_analyzer import EndOfTurnState
from pipecat.audio.vad.vad_analyzer import VADState
from pipecat.frames.frames import (
    FilterEnableFrame, InputAudioRawFrame, ProposedUserStartedSpeakingFrame, ProposedUserStoppedSpeakingFrame,
    TTSAudioRawFrame, UserStartedSpeakingFrame, UserStoppedSpeakingFrame, VADUserStartedSpeakingFrame,
    VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.turns.types import ProcessFrameResult
from pipecat.turns.user_stop import ExternalUserTurnStopStrategy, TurnAnalyzerUserTurnStopStrategy
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import ExternalUserTurnStrategies, UserTurnStrategies
from pipecat.workers.runner import WorkerRunner
from soundcard import SoundCard

import anechoic
from anechoic.events import Backchannel, NotSpeech, Restarted, TurnEnded, TurnStarted
from anechoic._output import Frame
from anechoic.pipecat import (
    AnechoicFilter, AnechoicInterruptionStrategy, AnechoicTurnAnalyzer, AnechoicTurnFrame, AnechoicTurns,
    AnechoicVADAnalyzer,
)

CHUNK = SoundCard.chunk


class CardInput(BaseInputTransport):
    """The microphone of a sound card."""

    def __init__(self, card, params):
        super().__init__(params)
        self.card, self.has_ended = card, asyncio.Event()

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)
        self.recording = self.create_task(self.record())

    async def record(self):
        async for samples in self.card.record():
            await self.push_audio_frame(
                InputAudioRawFrame(audio=samples.tobytes(), sample_rate=16000, num_channels=1))
        self.has_ended.set()


class CardOutput(BaseOutputTransport):
    """The loudspeaker of a sound card."""

    def __init__(self, card, params):
        super().__init__(params)
        self.card = card

    async def start(self, frame):
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame):
        await self.card.play(np.frombuffer(frame.audio, np.int16))
        return True


class Bot(FrameProcessor):
    """Says the reference when the first audio of the microphone comes, and keeps what it hears."""

    def __init__(self, reference):
        super().__init__()
        self.reference, self.heard, self.turns, self.has_begun = reference, [], [], False

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self.heard.append(np.frombuffer(frame.audio, np.int16))
            if not self.has_begun:
                self.has_begun = True
                await self.push_frame(
                    TTSAudioRawFrame(audio=self.reference.tobytes(), sample_rate=16000, num_channels=1))
            return
        if isinstance(frame, (VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame)):
            self.turns.append((sum(map(len, self.heard)) / 16000, isinstance(frame, VADUserStartedSpeakingFrame)))
        await self.push_frame(frame, direction)


async def talk(voice, near, reference):
    """Returns the sound card, what the bot heard, and when it noticed that somebody talked."""
    params = TransportParams(
        audio_in_enabled=True, audio_in_filter=voice, audio_in_sample_rate=16000,
        audio_out_enabled=True, audio_out_filter=voice.reference, audio_out_sample_rate=16000)
    card, bot = SoundCard(near), Bot(reference)
    source = CardInput(card, params)
    vad = VADProcessor(vad_analyzer=AnechoicVADAnalyzer(voice))
    pipeline = Pipeline([source, vad, bot, CardOutput(card, params)])
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(PipelineWorker(pipeline, params=PipelineParams()))
    running = asyncio.create_task(runner.run())
    await source.has_ended.wait()
    await runner.cancel()
    await running
    return card, np.concatenate(bot.heard), bot.turns


@in_loop
async def test_the_bot_does_not_hear_itself_and_hears_who_barges_in(server, sample, reference):
    """The bot talks alone until 9 s. Then the near end talks, too."""
    near = anechoic.Recording.read(sample / "near.wav").samples[:14 * 16000]
    bot = np.tile(reference.samples[8000:136000], 2)
    for _ in range(3):
        card, heard, turns = await talk(AnechoicFilter(server), near, bot)
        if card.underruns < 5:
            break  # A busy machine does not play in real time.
    recorded = np.concatenate(card.recorded)
    reduction = level(recorded, 3, 8.5) - level(heard, 3, 8.5)
    print(f"echo reduction {reduction:.1f} dB; turns {turns}; {card.underruns} underruns")
    assert abs(len(heard) - len(near)) <= 16000
    assert reduction > 15
    starts = [at for at, has_started in turns if has_started]
    assert starts and all(at > 8.8 for at in starts) and starts[0] < 11


@in_loop
async def test_without_a_server_the_audio_passes(microphone):
    voice = AnechoicFilter("127.0.0.1:1")
    await voice.start(16000)
    sent = microphone.samples[:16000]
    returned = b"".join([await voice.filter(sent[first:first + CHUNK].tobytes()) for first in range(0, 16000, CHUNK)])
    heard = np.frombuffer(returned, np.int16)
    assert len(heard) == 16000
    shift = CHUNK + 960  # Of the filter: 50 ms for the way to the server, and 10 ms for the processing.
    assert np.array_equal(heard[shift:], sent[:-shift])
    await voice.stop()


@in_loop
async def test_the_filter_can_be_switched_off(server, microphone):
    voice = AnechoicFilter(server)
    await voice.start(16000)
    await voice.process_frame(FilterEnableFrame(enable=False))
    sent = microphone.samples[:16000]
    returned = b"".join([await voice.filter(sent[first:first + CHUNK].tobytes()) for first in range(0, 16000, CHUNK)])
    shift = CHUNK + 960  # Of the filter: 50 ms for the way to the server, and 10 ms for the processing.
    assert np.array_equal(np.frombuffer(returned, np.int16)[shift:], sent[:-shift])
    await voice.stop()


def test_the_analyzer_hears_loud_audio_without_a_session():
    analyzer = AnechoicVADAnalyzer(AnechoicFilter("127.0.0.1:1"))
    analyzer.set_sample_rate(16000)
    assert analyzer.voice_confidence(np.full(160, 8000, np.int16).tobytes()) == 1
    assert analyzer.voice_confidence(bytes(320)) == 0
    assert analyzer._vad_state is VADState.QUIET


@in_loop
async def test_the_analyzer_tells_the_probability_and_the_decision_of_the_server(server):
    voice = AnechoicFilter(server)
    await voice.start(16000)
    await voice.filter(bytes(640))
    results = voice.live.voice.results
    results.clear()
    found = [(0.91, True), (0.4, True), (0.3, False), (0.8, False), (0.0, False)]
    results.extend(Frame(probability, heard, False) for probability, heard in found)
    analyzer = AnechoicVADAnalyzer(voice)
    analyzer.set_sample_rate(16000)
    assert [analyzer.voice_confidence(bytes(320)) for _ in found] == [0.91, 0.5, 0.3, 0.49, 0.0]
    assert analyzer.params.confidence == 0.5
    await voice.stop()


@in_loop
async def test_the_analyzer_is_not_late_after_frames_that_it_was_not_given(server):
    voice = AnechoicFilter(server)
    await voice.start(16000)
    await voice.filter(bytes(640))
    results = voice.live.voice.results
    results.clear()
    results.extend([Frame(0.0, False, False)] * 300 + [Frame(0.9, True, False)] * 2)
    analyzer = AnechoicVADAnalyzer(voice)
    analyzer.set_sample_rate(16000)
    await analyzer.analyze_audio(bytes(640))
    assert analyzer._vad_starting_count == 2 and not results
    await voice.stop()


class Listener(FrameProcessor):
    """Keeps the frames of turns that reach it, with the seconds of audio before them."""

    kinds = (AnechoicTurnFrame, ProposedUserStartedSpeakingFrame, ProposedUserStoppedSpeakingFrame,
             UserStartedSpeakingFrame, UserStoppedSpeakingFrame)

    def __init__(self):
        super().__init__()
        self.found, self.seconds = [], 0.0

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, InputAudioRawFrame):
            self.seconds += len(frame.audio) / 32000
        if isinstance(frame, self.kinds):
            self.found.append((round(self.seconds, 2), frame))
        await self.push_frame(frame, direction)

    def times(self, kind):
        return [at for at, frame in self.found if isinstance(frame, kind)]


def of_turn(kind, sample=0):
    """An event without all that does not matter."""
    values = {"id": 1, "time": None, "sample": sample, "began_at_sample": sample, "silent_from_sample": sample,
              "probability": 0.9, "error": None, "lost_samples": 0}
    return kind(**{name: values[name] for name in kind.__dataclass_fields__})


async def listen_to_a_turn(server, sample, make_processors):
    """Somebody talks from 9.1 to 13.9 s of the sample, which here are 1.1 to 5.9 s. Returns what has been heard of it."""
    near = anechoic.Recording.read(sample / "near.wav").samples[8 * 16000:18 * 16000].copy()
    near[6 * 16000:] = 0
    voice = AnechoicFilter(server, settings={"turn_detection.enabled": True})
    params = TransportParams(audio_in_enabled=True, audio_in_filter=voice, audio_in_sample_rate=16000)
    source, listener = CardInput(SoundCard(near), params), Listener()
    pipeline = Pipeline([source, *make_processors(voice), listener])
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(PipelineWorker(pipeline, params=PipelineParams()))
    running = asyncio.create_task(runner.run())
    await source.has_ended.wait()
    await runner.cancel()
    await running
    starts, stops = listener.times(UserStartedSpeakingFrame), listener.times(UserStoppedSpeakingFrame)
    print(f"starts {starts}, stops {stops}, {[(at, frame) for at, frame in listener.found][:8]}")
    assert starts and 0.9 < starts[0] < 2
    assert stops and 5 < stops[-1] < 9 and len(starts) == len(stops)
    return listener


@in_loop
async def test_pipecat_starts_and_stops_the_turns_that_the_server_finds(server, sample):
    def processors(voice):
        strategies = ExternalUserTurnStrategies()
        strategies.stop = [ExternalUserTurnStopStrategy(wait_for_transcript=False)]
        return AnechoicTurns(voice), UserTurnProcessor(user_turn_strategies=strategies)

    listener = await listen_to_a_turn(server, sample, processors)
    assert listener.times(AnechoicTurnFrame)


@in_loop
async def test_the_strategies_start_and_stop_turns_without_a_processor(server, sample):
    def processors(voice):
        stop = TurnAnalyzerUserTurnStopStrategy(
            turn_analyzer=AnechoicTurnAnalyzer(voice), wait_for_transcript=False)
        strategies = UserTurnStrategies(start=[AnechoicInterruptionStrategy(voice)], stop=[stop])
        vad = VADProcessor(vad_analyzer=AnechoicVADAnalyzer(voice))
        return vad, UserTurnProcessor(user_turn_strategies=strategies)

    await listen_to_a_turn(server, sample, processors)


@in_loop
async def test_backchannels_coughs_and_unsure_turns_interrupt_nothing(server):
    voice = AnechoicFilter(server)
    strategy, sure = AnechoicInterruptionStrategy(voice), AnechoicInterruptionStrategy(voice, least_probability=0.95)
    audio = InputAudioRawFrame(audio=bytes(640), sample_rate=16000, num_channels=1)
    started = []
    strategy.add_event_handler("on_user_turn_started", lambda *_: started.append(1))

    async def outcome(*kinds):
        for kind in kinds:
            strategy._take(of_turn(kind))
            sure._take(of_turn(kind))
        assert await sure.process_frame(audio) is ProcessFrameResult.CONTINUE
        return await strategy.process_frame(audio)

    assert await outcome(Backchannel, NotSpeech) is ProcessFrameResult.CONTINUE
    assert await outcome(TurnStarted, NotSpeech) is ProcessFrameResult.CONTINUE
    assert await outcome(TurnStarted, Restarted) is ProcessFrameResult.CONTINUE
    assert await outcome(TurnStarted) is ProcessFrameResult.STOP
    assert await outcome() is ProcessFrameResult.CONTINUE
    strategy._take(of_turn(TurnStarted))
    await strategy.handle_user_turn_started()
    assert await outcome() is ProcessFrameResult.CONTINUE


@in_loop
async def test_a_muted_person_starts_and_proposes_nothing(server):
    voice = AnechoicFilter(server)
    strategy, turns, analyzer = AnechoicInterruptionStrategy(voice), AnechoicTurns(voice), AnechoicTurnAnalyzer(voice)
    voice.live.mute()
    voice.live._tell(of_turn(TurnStarted))
    assert not strategy._has_begun and turns._events.empty() and not analyzer.speech_triggered


@in_loop
async def test_backchannels_and_coughs_propose_no_turn(server):
    voice, turns, pushed = AnechoicFilter(server), None, []
    turns = AnechoicTurns(voice)

    async def push(frame, direction=None):
        pushed.append(type(frame))

    turns.push_frame = push
    pushing = asyncio.create_task(turns._push())
    for event in (of_turn(Backchannel), of_turn(NotSpeech), of_turn(TurnStarted), of_turn(TurnEnded)):
        turns._take(event)
    await asyncio.sleep(0.05)
    pushing.cancel()
    assert pushed == [AnechoicTurnFrame] * 3 + [ProposedUserStartedSpeakingFrame, AnechoicTurnFrame,
                                                ProposedUserStoppedSpeakingFrame]


@in_loop
async def test_a_proposed_turn_does_not_outlast_its_session(server):
    turns, pushed = AnechoicTurns(AnechoicFilter(server)), []
    is_over = asyncio.Event()

    async def push(frame, direction=None):
        pushed.append(type(frame))
        if type(frame) is ProposedUserStoppedSpeakingFrame:
            is_over.set()

    turns.push_frame = push
    pushing = asyncio.create_task(turns._push())
    for kind in (Restarted, TurnStarted, Restarted):
        turns._take(of_turn(kind))
    await asyncio.wait_for(is_over.wait(), 5)
    pushing.cancel()
    assert pushed == [AnechoicTurnFrame, ProposedUserStartedSpeakingFrame, ProposedUserStoppedSpeakingFrame]


@in_loop
async def test_the_analyzer_tells_once_that_a_turn_has_ended(server):
    voice = AnechoicFilter(server)
    analyzer = AnechoicTurnAnalyzer(voice)
    analyzer._take(of_turn(TurnStarted))
    assert analyzer.speech_triggered
    assert analyzer.append_audio(b"", True) is EndOfTurnState.INCOMPLETE
    assert (await analyzer.analyze_end_of_turn())[0] is EndOfTurnState.INCOMPLETE
    analyzer._take(of_turn(TurnEnded))
    assert analyzer.append_audio(b"", False) is EndOfTurnState.COMPLETE
    assert analyzer.append_audio(b"", False) is EndOfTurnState.INCOMPLETE
    assert not analyzer.speech_triggered
    analyzer._take(of_turn(TurnStarted))
    analyzer._take(of_turn(Restarted))
    assert analyzer.append_audio(b"", False) is EndOfTurnState.COMPLETE
    assert not analyzer.speech_triggered
