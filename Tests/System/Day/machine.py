"""A machine of the scripted day: a sound server, a message bus, programs, and an edge agent in a network of its own."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import threading
import time
from pathlib import Path

import dbus
import grpc
from anechoic.v1 import edge_pb2

RATE = 16000
FRAME = RATE // 100
MUSIC = "org.mpris.MediaPlayer2.music"
DEVICES = [("mic", "spk"), ("headset_mic", "headset_spk")]
PULSE = """\
{sources}
{sinks}
load-module module-native-protocol-unix socket={folder}/pulse.sock auth-anonymous=1 auth-cookie-enabled=0
"""
PCM = """\
pcm.{name} {{
  type pulse
  server "unix:{folder}/pulse.sock"
  device {name}
}}
"""
BUS = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={folder}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Feeder:
    """Writes sound to a pipe at the pace of time: what `say` gives it, and silence otherwise if it is a microphone."""

    def __init__(self, path: Path, silence: bool) -> None:
        self.path, self.silence, self.waiting, self.lock = path, silence, b"", threading.Lock()
        threading.Thread(target=self._run, daemon=True).start()

    def say(self, samples: bytes) -> None:
        with self.lock:
            self.waiting = samples

    def _run(self) -> None:
        pipe = os.open(self.path, os.O_RDWR)
        size, next_time = 2 * FRAME, time.monotonic()
        while True:
            with self.lock:
                frame, self.waiting = self.waiting[:size], self.waiting[size:]
            if frame or self.silence:
                os.write(pipe, frame.ljust(size, b"\0"))
            next_time += 0.01
            time.sleep(max(0.0, next_time - time.monotonic()))


class Machine:
    """Starts everything of a machine. `space` is the command that enters its network namespace."""

    def __init__(self, name: str, folder: Path, bin_folder: Path, space: list[str], server: str) -> None:
        self.name, self.folder, self.space = name, folder, space
        self.processes: list[subprocess.Popen] = []
        self.status = edge_pb2.EdgeStatus()
        folder.mkdir()
        for lamp in ("microphone", "mute"):
            (folder / lamp).write_text("")
        for pipe in ("keys", "music", "voice"):
            os.mkfifo(folder / pipe)
        self._start_sound()
        self._start_bus()
        self.microphones = [Feeder(folder / source, True) for source, _ in DEVICES]
        self.music = Feeder(folder / "music", False)
        self.keys = os.open(folder / "keys", os.O_RDWR)
        (folder / "edge.yaml").write_text(json.dumps(self._configuration(server)))
        self._run([*space, str(bin_folder / "anechoic-edge"), "run", "--config", str(folder / "edge.yaml")], "agent")
        threading.Thread(target=self._watch, daemon=True).start()

    def _configuration(self, server: str) -> dict:
        folder = self.folder
        return {
            "server": {"address": server}, "session": {"id": self.name},
            "audio": {"rate": RATE, "output_channels": 1},
            "routes": {"ports": [
                {"id": "headset", "input": "headset_mic", "output": "headset_spk", "priority": 1},
                {"id": "desk", "input": "mic", "output": "spk"}]},
            "programs": {
                "voice": f"fifo:{folder}/voice", "other_audio": f"fifo:{folder}/music", "other_audio_channels": 1,
                "desktop": f"unix:{folder}/pulse.sock", "desktop_memory": f"{folder}/streams.json",
                "media_memory": f"{folder}/players.json", "session_bus": f"unix:path={folder}/bus"},
            "routing": {"group": "anna", "machine": self.name, "headsets": ["headset"]},
            "microphone": {"lamps": [f"{folder}/microphone"]},
            "mute": {"keys": [f"{folder}/keys"], "lamps": [f"{folder}/mute"]},
            "control_socket": f"{folder}/agent",
        }

    def _start_sound(self) -> None:
        folder = self.folder
        sources = "\n".join(
            f"load-module module-pipe-source source_name={source} file={folder}/{source} format=s16le rate={RATE} "
            "channels=1" for source, _ in DEVICES)
        sinks = "\n".join(f"load-module module-null-sink sink_name={sink}" for _, sink in DEVICES)
        (folder / "pulse.pa").write_text(PULSE.format(sources=sources, sinks=sinks, folder=folder))
        (folder / "client.conf").write_text("autospawn = no\nenable-shm = no\n")
        (folder / "asound.conf").write_text("<confdir:alsa.conf>\n" + "".join(
            PCM.format(name=name, folder=folder) for pair in DEVICES for name in pair))
        self.environment = {
            **os.environ, "HOME": str(folder), "PULSE_RUNTIME_PATH": str(folder), "XDG_RUNTIME_DIR": str(folder),
            "PULSE_CLIENTCONFIG": f"{folder}/client.conf", "ALSA_CONFIG_PATH": f"{folder}/asound.conf",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={folder}/bus"}
        self._run(["pulseaudio", "-n", "-F", str(folder / "pulse.pa"), "--daemonize=no", "--exit-idle-time=-1",
                   "--realtime=no", "--high-priority=no", "--disable-shm=yes", "--use-pid-file=no"], "pulse")
        until("the sound server", (folder / "pulse.sock").exists)

    def _start_bus(self) -> None:
        folder, programs = self.folder, Path(__file__).parents[2] / "Support/BusPrograms"
        (folder / "bus.conf").write_text(BUS.format(folder=folder))
        self._run(["dbus-daemon", "--nofork", "--nosyslog", "--config-file", str(folder / "bus.conf")], "bus-daemon")
        until("the bus", self._connect_to_bus)
        self._run(["/usr/bin/python3", str(programs / "player.py"), "music", "Paused"], "player")
        self._run(["/usr/bin/python3", str(programs / "notifications.py")], "notifications")
        for name in (MUSIC, "org.freedesktop.Notifications"):
            until(name, lambda name=name: self.bus.name_has_owner(name))

    def _connect_to_bus(self) -> bool:
        """Returns whether the bus accepts connections: its socket exists a moment before that."""
        try:
            self.bus = dbus.bus.BusConnection(f"unix:path={self.folder}/bus")
        except dbus.exceptions.DBusException:
            return False
        return True

    def _run(self, command: list[str], name: str) -> subprocess.Popen:
        with (self.folder / f"{name}.log").open("wb") as file:
            process = subprocess.Popen(
                command, env=self.environment, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        self.processes.append(process)
        return process

    def _watch(self) -> None:
        until("the agent", (self.folder / "agent").exists)
        channel = grpc.insecure_channel(f"unix:{self.folder}/agent")
        watch = channel.unary_stream(
            "/anechoic.v1.EdgeService/WatchEdgeStatus",
            request_serializer=edge_pb2.WatchEdgeStatusRequest.SerializeToString,
            response_deserializer=edge_pb2.WatchEdgeStatusResponse.FromString)
        try:
            for response in watch(edge_pb2.WatchEdgeStatusRequest(), wait_for_ready=True):
                self.status = response.status
        except grpc.RpcError:
            return

    def lamp(self, name: str) -> bool | None:
        """Whether a lamp is lit. None while it is being written."""
        return {"1\n": True, "0\n": False}.get((self.folder / name).read_text())

    def _property(self, owner: str, path: str, interface: str, name: str):
        return self.bus.get_object(owner, path).Get(interface, name, dbus_interface=dbus.PROPERTIES_IFACE)

    @property
    def player(self) -> str:
        """The state of the media player."""
        return str(self._property(MUSIC, "/org/mpris/MediaPlayer2", "org.mpris.MediaPlayer2.Player", "PlaybackStatus"))

    def press(self, button: str) -> None:
        """Presses Play or Pause of the media player."""
        player = self.bus.get_object(MUSIC, "/org/mpris/MediaPlayer2")
        player.get_dbus_method(button, "org.mpris.MediaPlayer2.Player")()

    @property
    def notifications(self) -> list[str]:
        return [str(title) for title in self._property(
            "org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.anechoic.Test", "Shown")]

    @property
    def holds_headset(self) -> bool:
        return self.status.route == "headset" and any(
            decision.holder == self.name for decision in self.status.switching.decisions)

    @property
    def microphone_is_open(self) -> bool:
        running = edge_pb2.EdgeDevice.STATE_RUNNING
        return any(device.role == "microphone" and device.state == running for device in self.status.devices)

    def press_mute(self) -> None:
        """Presses the mute key of the keyboard: KEY_MICMUTE and SYN_REPORT, down and up."""
        for value in (1, 0):
            for kind, code, number in ((1, 248, value), (0, 0, 0)):
                os.write(self.keys, struct.pack("<qqHHi", 0, 0, kind, code, number))

    def talk(self, samples: bytes) -> None:
        for microphone in self.microphones:
            microphone.say(samples)

    def stop(self) -> None:
        for process in reversed(self.processes):
            process.terminate()
        for process in self.processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()


class Program:
    """A program that reads the voice of a machine, as a softphone does, until it is closed."""

    def __init__(self, machine: Machine) -> None:
        self.pipe = os.open(machine.folder / "voice", os.O_RDONLY | os.O_NONBLOCK)
        self.count, self.is_closed = 0, False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        while not self.is_closed:
            try:
                self.count += len(os.read(self.pipe, 8192))
            except BlockingIOError:
                pass
            time.sleep(0.002)

    def close(self) -> None:
        self.is_closed = True
        self.thread.join()
        os.close(self.pipe)


def until(what: str, condition, limit: float = 20.0) -> float:
    """Waits until a condition is true. Returns the time in ms that it took. Exits if that takes too long."""
    begin = time.monotonic()
    while not condition():
        if time.monotonic() - begin > limit:
            raise SystemExit(f"day: {what} did not come within {limit:g} s")
        time.sleep(0.002)
    return 1000 * (time.monotonic() - begin)
