"""A real call: two soft phones (baresip) exchange SIP and RTP with µ-law. The caller's phone has a loudspeaker
whose sound reaches its microphone. The other phone's sound passes `anechoic-bridge media-streams` to an
application. Prints how much of the application's echo is left.

Needs Debian's baresip-core, pulseaudio, pulseaudio-utils and libasound2-plugins.
"""

import asyncio
import base64
import json
import os
import tempfile
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import numpy as np
from figures import ANSWER, CALLER
from programs import Program, server
from telephone import Application
from voices import from_pcm, g711, from_g711, level, pcm, spoken
from websockets.asyncio.client import connect

SINKS = ("phone_speaker", "phone_microphone", "gateway_speaker", "gateway_microphone")
ECHO_GAIN = 0.4
MODULES = ("g711.so", "alsa.so")


def phone_folder(folder: Path, name: str, port: int, answers: bool) -> Path:
    """Writes the configuration of a soft phone that plays and records through the sinks of its name."""
    own = folder / name
    own.mkdir()
    (own / "config").write_text("\n".join([
        "poll_method epoll", f"sip_listen 127.0.0.1:{port}", "net_interface 127.0.0.1",
        f"audio_player alsa,{name}_speaker", f"audio_source alsa,{name}_microphone", "audio_alert alsa,null",
        "ausrc_srate 8000", "auplay_srate 8000", "ausrc_channels 1", "auplay_channels 1",
        f"rtp_ports {port + 10000}-{port + 10020}", "audio_jitter_buffer_type adaptive", "audio_buffer 20-160",
        "module_path /usr/lib/baresip/modules", *[f"module {module}" for module in MODULES],
        "module_app account.so", "module_app menu.so", ""]))
    mode = ";answermode=auto" if answers else ""
    (own / "accounts").write_text(f"<sip:{name}@127.0.0.1:{port}>;regint=0;audio_codecs=PCMU{mode}\n")
    (own / "contacts").write_text("")
    return own


class Machine:
    """A sound server with four sinks, and programs that end with it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder), "PULSE_SERVER": f"unix:{folder}/sound",
            "ALSA_CONFIG_PATH": f"{folder}/asound.conf"}
        self.processes: list[asyncio.subprocess.Process] = []

    async def start(self, *command: str, **options) -> asyncio.subprocess.Process:
        nowhere = asyncio.subprocess.DEVNULL
        process = await asyncio.create_subprocess_exec(
            *command, env=self.environment, **({"stdin": nowhere, "stdout": nowhere, "stderr": nowhere} | options))
        self.processes.append(process)
        return process

    async def __aenter__(self) -> "Machine":
        pcms = "".join(
            f'pcm.{name}_speaker {{ type pulse device "{name}_speaker" }}\n'
            f'pcm.{name}_microphone {{ type pulse device "{name}_microphone.monitor" }}\n'
            for name in ("phone", "gateway"))
        (self.folder / "asound.conf").write_text("</usr/share/alsa/alsa.conf>\n" + pcms)
        modules = [f"--load=module-null-sink sink_name={name} rate=8000 channels=1" for name in SINKS]
        await self.start(
            "pulseaudio", "-n", "--daemonize=no", "--exit-idle-time=-1", "--use-pid-file=no",
            f"--load=module-native-protocol-unix socket={self.folder}/sound auth-anonymous=1", *modules)
        async with asyncio.timeout(10):
            while not (self.folder / "sound").exists():
                await asyncio.sleep(0.05)
        return self

    async def __aexit__(self, *_) -> None:
        for process in reversed(self.processes):
            if process.returncode is None:
                process.terminate()
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 5)
            if process.returncode is None:
                process.kill()

    async def record(self, sink: str) -> asyncio.StreamReader:
        process = await self.start(
            "parec", f"--device={sink}.monitor", "--rate=8000", "--channels=1", "--format=s16le", "--raw",
            "--latency-msec=20", stdout=asyncio.subprocess.PIPE)
        return process.stdout

    async def play(self, sink: str) -> asyncio.StreamWriter:
        process = await self.start(
            "pacat", "--playback", f"--device={sink}", "--rate=8000", "--channels=1", "--format=s16le", "--raw",
            "--latency-msec=40", stdin=asyncio.subprocess.PIPE)
        return process.stdin


class Exchange:
    """The gateway's phone as a provider of media streams."""

    def __init__(self, machine: Machine, port: int) -> None:
        self.machine, self.port = machine, port
        self.sent = np.zeros(0)
        self.queue = np.zeros(0)

    async def __aenter__(self) -> "Exchange":
        self.connection = await connect(f"ws://127.0.0.1:{self.port}/")
        await self._send({"event": "connected", "protocol": "Call", "version": "1.0.0"})
        await self._send({"event": "start", "start": {"callSid": "CA1", "streamSid": "MZ1"}})
        source = await self.machine.record("gateway_speaker")
        sink = await self.machine.play("gateway_microphone")
        self.tasks = [asyncio.create_task(task) for task in (self._receive(), self._run(source, sink))]
        return self

    async def __aexit__(self, *_) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        await self._send({"event": "stop"})
        await self.connection.close()

    async def _send(self, message: dict) -> None:
        await self.connection.send(json.dumps(message))

    async def _receive(self) -> None:
        async for text in self.connection:
            message = json.loads(text)
            if message["event"] == "media":
                self.queue = np.concatenate(
                    [self.queue, from_g711(base64.b64decode(message["media"]["payload"]))])

    async def _run(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        """Sends each 20 ms of the caller, and plays as much of the application."""
        while True:
            caller = from_pcm(await source.readexactly(320))
            self.sent = np.concatenate([self.sent, caller])
            await self._send({"event": "media", "media": {
                "track": "inbound", "payload": base64.b64encode(g711(caller)).decode()}})
            sound = np.pad(self.queue[:160], (0, max(0, 160 - len(self.queue))))
            self.queue = self.queue[160:]
            sink.write(pcm(sound))


async def echo(machine: Machine) -> None:
    """Returns the sound of the phone's loudspeaker to its microphone, softer."""
    source, sink = await machine.record("phone_speaker"), await machine.play("phone_microphone")
    while True:
        sink.write(pcm(ECHO_GAIN * from_pcm(await source.readexactly(320))))


async def main() -> None:
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        machine = await stack.enter_async_context(Machine(folder))
        application = await stack.enter_async_context(Application())
        servers = await stack.enter_async_context(server())
        bridge = await stack.enter_async_context(Program(
            "ANECHOIC_BRIDGE", "media-streams", "--listen", "127.0.0.1:0", "--upstream",
            f"ws://127.0.0.1:{application.port}/", "--server", f"127.0.0.1:{servers.port}"))
        room = asyncio.create_task(echo(machine))
        log = open(os.environ.get("SOFTPHONE_LOG", os.devnull), "w")
        await machine.start("baresip", "-f", str(phone_folder(folder, "gateway", 5080, True)), stdout=log, stderr=log)
        await asyncio.sleep(2)
        await machine.start("baresip", "-f", str(phone_folder(folder, "phone", 5070, False)), "-e",
                            "/dial sip:gateway@127.0.0.1:5080", stdout=log, stderr=log)
        await asyncio.sleep(4)
        exchange = await stack.enter_async_context(Exchange(machine, bridge.port))
        await asyncio.sleep(2)
        answer = spoken(ANSWER, 8000)
        begin = len(exchange.sent)
        await application.speak(answer)
        await asyncio.sleep(len(answer) / 8000)
        end = len(exchange.sent)
        voice = await machine.play("phone_microphone")
        await asyncio.sleep(1)
        said = len(exchange.sent)
        caller = spoken(CALLER, 8000, "en-gb", 150)
        voice.write(pcm(caller))
        await asyncio.sleep(len(caller) / 8000 + 1)
        for name, start, stop in (
                ("echo, from 1 s", begin + 8000, begin + 48000), ("echo, from 6 s", begin + 48000, end),
                ("caller", said, said + len(caller))):
            print(f"{name}: {level(exchange.sent[start:stop]):.1f} dBFS before, "
                  f"{level(application.heard[start:stop]):.1f} dBFS after the bridge")
        print(*bridge.lines, sep="\n")
        room.cancel()


if __name__ == "__main__":
    asyncio.run(main())
