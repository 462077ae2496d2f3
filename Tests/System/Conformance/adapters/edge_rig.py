"""The common parts of the adapters of `anechoic-edge`: a PulseAudio with pipes for devices, and the agent."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

from common import log

ALSA = """\
<confdir:alsa.conf>
pcm.{device} {{
  type pulse
  server "unix:{folder}/pulse.sock"
  device {device}
}}
"""
PULSE = """\
{module} file={folder}/{device} format=s16le rate={rate} channels=1
load-module module-native-protocol-unix socket={folder}/pulse.sock auth-anonymous=1 auth-cookie-enabled=0
"""


class Sound:
    """A PulseAudio with one device, which is a pipe, and an ALSA with a device of the same name."""

    def __init__(self, folder: Path, module: str, device: str, rate: int) -> None:
        """`module` is the line that loads the device, without the options of all pipes."""
        self.pipe = folder / device
        (folder / "pulse.pa").write_text(PULSE.format(module=module, folder=folder, device=device, rate=rate))
        (folder / "client.conf").write_text("autospawn = no\nenable-shm = no\n")
        (folder / "asound.conf").write_text(ALSA.format(folder=folder, device=device))
        self.environment = {
            **os.environ, "HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder),
            "PULSE_CLIENTCONFIG": f"{folder}/client.conf", "ALSA_CONFIG_PATH": f"{folder}/asound.conf"}
        with (folder / "pulse.log").open("wb") as file:
            self.process = subprocess.Popen(
                ["pulseaudio", "-n", "-F", str(folder / "pulse.pa"), "--daemonize=no", "--exit-idle-time=-1",
                 "--realtime=no", "--high-priority=no", "--disable-shm=yes", "--use-pid-file=no"],
                env=self.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        for _ in range(1000):
            if (folder / "pulse.sock").exists():
                break
            time.sleep(0.01)


class Agent:
    """`anechoic-edge run` with a configuration. `hears` gets each line of its log.

    `runs` is set with the line that contains `sign`, and when the agent has ended.
    """

    def __init__(
        self, folder: Path, configuration: dict, sound: Sound, sign: str, hears: Callable[[str], None]
    ) -> None:
        self.control = folder / "agent.sock"
        file = folder / "edge.yaml"
        file.write_text(json.dumps({**configuration, "control_socket": str(self.control)}))
        self._sign, self._hears = sign, hears
        self.runs = threading.Event()
        self.process = subprocess.Popen(
            [os.environ["ANECHOIC_EDGE"], "run", "--config", str(file)], stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, env=sound.environment)
        threading.Thread(target=self._repeat_log, daemon=True).start()

    def _repeat_log(self) -> None:
        for line in self.process.stderr:
            log(line.rstrip())
            if self._sign in line:
                self.runs.set()
            self._hears(line)
        self.runs.set()


def stop(*processes: subprocess.Popen) -> None:
    for process in processes:
        process.terminate()
        try:
            process.wait(8)
        except subprocess.TimeoutExpired:
            process.kill()
