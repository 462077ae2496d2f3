"""Pipecat's quick start, with Anechoic: the bot does not hear itself, and notices who interrupts it."""

import os

from dotenv import load_dotenv
from pipecat.frames.frames import LLMRunFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import (
    LLMContextAggregatorPair,
    LLMUserAggregatorParams,
)
from pipecat.runner.types import RunnerArguments
from pipecat.runner.utils import create_transport
from pipecat.services.cartesia.tts import CartesiaTTSService
from pipecat.services.deepgram.stt import DeepgramSTTService
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.transports.base_transport import BaseTransport, TransportParams
from pipecat.workers.runner import WorkerRunner

from anechoic.pipecat import AnechoicFilter, AnechoicVADAnalyzer

load_dotenv(override=True)


async def run_bot(transport: BaseTransport, voice: AnechoicFilter, runner_args: RunnerArguments):
    stt = DeepgramSTTService(api_key=os.environ["DEEPGRAM_API_KEY"])
    llm = OpenAILLMService(api_key=os.environ["OPENAI_API_KEY"])
    tts = CartesiaTTSService(
        api_key=os.environ["CARTESIA_API_KEY"], voice_id="71a7ad14-091c-4e8e-a314-022ece01c121"
    )
    context = LLMContext([{"role": "system", "content": "You are a friendly assistant. Answer in a sentence."}])
    user, assistant = LLMContextAggregatorPair(
        context, user_params=LLMUserAggregatorParams(vad_analyzer=AnechoicVADAnalyzer(voice))
    )
    pipeline = Pipeline([transport.input(), stt, user, llm, tts, transport.output(), assistant])
    worker = PipelineWorker(pipeline, params=PipelineParams(enable_metrics=True))

    @transport.event_handler("on_client_connected")
    async def on_client_connected(transport, client):
        await worker.queue_frames([LLMRunFrame()])

    @transport.event_handler("on_client_disconnected")
    async def on_client_disconnected(transport, client):
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=runner_args.handle_sigint)
    await runner.add_workers(worker)
    await runner.run()


async def bot(runner_args: RunnerArguments):
    voice = AnechoicFilter(os.environ.get("ANECHOIC_ADDRESS", "127.0.0.1:50051"))
    transport_params = {
        "webrtc": lambda: TransportParams(
            audio_in_enabled=True,
            audio_in_filter=voice,
            audio_out_enabled=True,
            audio_out_filter=voice.reference,
        ),
    }
    await run_bot(await create_transport(runner_args, transport_params), voice, runner_args)


if __name__ == "__main__":
    from pipecat.runner.run import main

    main()
