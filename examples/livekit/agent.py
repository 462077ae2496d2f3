"""LiveKit's voice agent, with Anechoic: the agent does not hear itself, and notices who interrupts it."""

import os

from livekit.agents import Agent, AgentServer, AgentSession, JobContext, cli, inference, room_io

from anechoic.livekit import AnechoicAudioOutput, AnechoicProcessor

server = AgentServer()


@server.rtc_session()
async def entrypoint(ctx: JobContext) -> None:
    voice = AnechoicProcessor(os.environ.get("ANECHOIC_ADDRESS", "127.0.0.1:50051"))
    ctx.add_shutdown_callback(voice.aclose)
    session: AgentSession = AgentSession(
        stt=inference.STT("deepgram/nova-3"),
        llm=inference.LLM("openai/gpt-4.1-mini"),
        tts=inference.TTS("cartesia/sonic-3"),
    )
    await session.start(
        agent=Agent(instructions="You are a friendly assistant. Answer in a sentence."),
        room=ctx.room,
        room_options=room_io.RoomOptions(
            audio_input=room_io.AudioInputOptions(noise_cancellation=voice, auto_gain_control=False),
        ),
    )
    if session.output.audio is not None:
        session.output.audio = AnechoicAudioOutput(voice, next_in_chain=session.output.audio)
    await session.generate_reply(instructions="Greet the user.")


if __name__ == "__main__":
    cli.run_app(server)
