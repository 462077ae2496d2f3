"""The filters and the analyzer in a pipeline of the real pipecat-ai."""

import asyncio

import numpy as np
from conftest import in_loop, level
from pipecat.audio.vad.vad_analyzer import VADState
from pipecat.frames.frames import (
    FilterEnableFrame, InputAudioRawFrame, TTSAudioRawFrame,
    VADUserStartedSpeakingFrame, VADUserStoppedSpeakingFrame,
)
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.workers.runner import WorkerRunner
from soundcard import SoundCard

import anechoic
from anechoic.pipecat import AnechoicFilter, AnechoicVADAnalyzer

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
    shift = CHUNK + 480
    assert np.array_equal(heard[shift:], sent[:-shift])
    await voice.stop()


@in_loop
async def test_the_filter_can_be_switched_off(server, microphone):
    voice = AnechoicFilter(server)
    await voice.start(16000)
    await voice.process_frame(FilterEnableFrame(enable=False))
    sent = microphone.samples[:16000]
    returned = b"".join([await voice.filter(sent[first:first + CHUNK].tobytes()) for first in range(0, 16000, CHUNK)])
    shift = CHUNK + 480
    assert np.array_equal(np.frombuffer(returned, np.int16)[shift:], sent[:-shift])
    await voice.stop()


def test_the_analyzer_hears_loud_audio_without_a_session():
    analyzer = AnechoicVADAnalyzer(AnechoicFilter("127.0.0.1:1"))
    analyzer.set_sample_rate(16000)
    assert analyzer.voice_confidence(np.full(160, 8000, np.int16).tobytes()) == 1
    assert analyzer.voice_confidence(bytes(320)) == 0
    assert analyzer._vad_state is VADState.QUIET
