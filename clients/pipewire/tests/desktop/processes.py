"""A server, and a PipeWire desktop without a screen or a sound card, as child processes."""

import contextlib
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path


class Failure(Exception):
    """A check that failed, in one sentence. A busy machine can be the cause."""


class Defect(Exception):
    """A check that failed, of which a busy machine cannot be the cause."""


def check(condition, sentence, error=Failure):
    print(("ok      " if condition else "FAILED  ") + sentence, flush=True)
    if not condition:
        raise error(sentence)


def wait_for(condition, description, seconds=60):
    """Returns the first true value of a condition. The limit only ends a test that has failed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failure(f"waited in vain: {description}")


class Process(contextlib.AbstractContextManager):
    """A child process whose output goes to a file. It is terminated at the end."""

    def __init__(self, command, log, environment=None, **options):
        self.log = Path(log)
        options.setdefault("stdout", self.log.open("ab"))
        self.child = subprocess.Popen(
            command, stderr=self.log.open("ab"), stdin=subprocess.DEVNULL, env=environment, **options)

    def __exit__(self, *_):
        self.stop()

    def stop(self, number=signal.SIGTERM):
        if self.child.poll() is None:
            self.child.send_signal(number)
            try:
                self.child.wait(10)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()

    def text(self):
        return self.log.read_text(errors="replace")


class Server(Process):
    """anechoic-server on a unix socket."""

    def __init__(self, program, folder):
        self.socket = Path(folder) / "server.sock"
        self.socket.unlink(missing_ok=True)
        # A session that goes on must not hold up the end of a test.
        command = [program, "--listen", f"unix:{self.socket}", "--admin-listen", "off",
                   "--http-listen", "off", "--drain-time", "1s"]
        super().__init__(command, Path(folder) / "server.log")
        wait_for(self.socket.exists, "the server listens")


# The loudspeaker and the microphone of the desktop.
DEVICES = """
context.objects = [
  { factory = adapter args = {
      factory.name = support.null-audio-sink  node.name = speaker  media.class = Audio/Sink
      audio.position = [ FL FR ]  priority.session = 1000 } }
  { factory = adapter args = {
      factory.name = support.null-audio-sink  node.name = microphone
      media.class = Audio/Source/Virtual  audio.position = [ MONO ]  priority.session = 3000 } }
]
"""

# PipeWire's own echo canceller.
CANCELLER = """
context.modules = [
  { name = libpipewire-module-echo-cancel args = {
      library.name = aec/libspa-aec-webrtc  monitor.mode = true
      audio.rate = 48000  audio.channels = 1  audio.position = [ MONO ]
      capture.props = { node.name = webrtc_capture  target.object = microphone }
      source.props = { node.name = webrtc_source }
      sink.props = { node.name = webrtc_reference  target.object = speaker } } }
]
"""


class Desktop(contextlib.ExitStack):
    """PipeWire, WirePlumber and pipewire-pulse with folders of their own. `rig` is added to the configuration."""

    def __init__(self, folder, plugin, configuration, rig=DEVICES + CANCELLER, has_pulse=True):
        super().__init__()
        self.has_pulse = has_pulse
        self.folder = Path(folder)
        drop_ins = self.folder / "config/pipewire/pipewire.conf.d"
        runtime = self.folder / "run"
        plugins = self.folder / "spa/aec"
        for each in (drop_ins, runtime, plugins):
            each.mkdir(parents=True, exist_ok=True)
        runtime.chmod(0o700)
        shutil.copy(plugin, plugins)
        (drop_ins / "50-anechoic.conf").write_text(configuration)
        (drop_ins / "60-rig.conf").write_text(rig)
        installed = subprocess.run(
            ["pkg-config", "--variable=plugindir", "libspa-0.2"], check=True, capture_output=True,
            text=True).stdout.strip()
        self.environment = os.environ | {
            "HOME": str(self.folder),
            "XDG_RUNTIME_DIR": str(runtime),
            "PIPEWIRE_RUNTIME_DIR": str(runtime),
            "XDG_CONFIG_HOME": str(self.folder / "config"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "SPA_PLUGIN_DIR": f"{plugins.parent}:{installed}",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={runtime}/bus",
        }

    def __enter__(self):
        try:
            self.start_all()
        except BaseException:
            super().__exit__(None, None, None)
            raise
        return self

    def __exit__(self, kind, *details):
        runs = self.runs()
        super().__exit__(kind, *details)
        if kind is None and not runs:
            raise Defect("PipeWire has ended")

    def start_all(self):
        bus = self.environment["DBUS_SESSION_BUS_ADDRESS"]
        self.start("dbus", "dbus-daemon", "--session", "--nofork", "--nopidfile", "--address", bus)
        wait_for((self.folder / "run/bus").exists, "D-Bus listens")
        self.daemon = self.start("pipewire", "pipewire")
        wait_for((self.folder / "run/pipewire-0").exists, "PipeWire listens")
        self.start("wireplumber", "wireplumber")
        if self.has_pulse:
            self.start("pulse", "pipewire-pulse")
            wait_for((self.folder / "run/pulse/native").exists, "pipewire-pulse listens")
        wait_for(lambda: "anechoic_capture:" in self.call("pw-link", "--links"),
                 "WirePlumber links the microphone")

    def start(self, log, *command, **options):
        return self.enter_context(
            Process(command, self.folder / f"{log}.log", self.environment, **options))

    def call(self, *command):
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout

    def link(self, output, *inputs):
        """Links ports as soon as they exist."""
        for each in inputs:
            self.wait_for(lambda to=each: subprocess.run(
                ["pw-link", output, to], env=self.environment, capture_output=True,
                check=False).returncode == 0, f"the link from {output} to {each}")

    def wait_for(self, condition, description):
        """Waits for a condition while PipeWire runs."""
        wait_for(lambda: condition() or not self.runs(), description)
        if not self.runs():
            raise Defect(f"PipeWire has ended; the test waited for: {description}")

    def record(self, path, rate, *sources):
        """Starts an application that records microphones beside each other, in the same cycles, as floats."""
        channels = ("FL", "FR", "FC")[: len(sources)]
        recorder = self.start(
            "recorder", "pw-cat", "--record", "--target", "0", "--rate", str(rate), "--format", "f32",
            "--channels", str(len(channels)), "--channel-map", ",".join(channels),
            "-P", "{ node.name = recorder }", str(path))
        for source, channel in zip(sources, channels):
            self.link(f"{source}:capture_MONO", f"recorder:input_{channel}")
        return recorder

    def play(self, path, *inputs):
        """Starts an application that plays a mono file into ports."""
        player = self.start(
            "player", "pw-cat", "--playback", "--target", "0", "-P", "{ node.name = player }", str(path))
        self.link("player:output_MONO", *inputs)
        return player

    def node(self, name):
        """The id of a node, or nothing."""
        id = ""
        for line in self.call("pw-cli", "ls", "Node").splitlines():
            if line.strip().startswith("id "):
                id = line.split()[1].rstrip(",")
            elif f'node.name = "{name}"' in line:
                return id
        return ""

    def runs(self):
        return self.daemon.child.poll() is None

    def resources(self):
        """The open files and the threads of PipeWire."""
        process = Path(f"/proc/{self.daemon.child.pid}")
        return tuple(len(list((process / each).iterdir())) for each in ("fd", "task"))

    def state_lines(self):
        """What the plug-in has said in PipeWire's log."""
        lines = self.daemon.text().splitlines()
        return [line.split("] ", 3)[-1] for line in lines if "spa.aec.anechoic" in line]
