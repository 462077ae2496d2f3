"""Situations of a desktop: devices that go, rates that change, servers that come and go."""

import signal
import time
from functools import partial

import numpy as np
from gaps import Recorder
from processes import DEVICES, Defect, Desktop, Server, check
from sound import RATE, decibels, read_floats, write_wave

RATES = (8000, 16000, 24000, 32000, 44100, 48000)
NOBODY = "unix:/nonexistent/a.sock"


def write_tone(path, seconds):
    tone = 8000 * np.sin(2 * np.pi * 440 * np.arange(RATE * seconds) / RATE)
    write_wave(path, RATE, tone, tone)


def write_noise(path, seconds):
    write_wave(path, RATE, np.random.default_rng(1).integers(-3000, 3000, RATE * seconds))


def listen(desktop, path):
    """Starts an application that hears "Anechoic microphone", and waits until it does."""
    client = desktop.start(
        "parec", "parec", "--device=anechoic_source", "--raw", "--format=float32le",
        f"--rate={RATE}", "--channels=1", "--latency-msec=50", stdout=path.open("wb"))
    desktop.wait_for(lambda: path.stat().st_size > 4 * RATE, "an application hears the microphone")
    return client


def check_unplugged(options, configuration, folder):
    """WirePlumber must not take the loudspeaker for the microphone that is gone."""
    write_tone(folder / "tone.wav", 20)
    with Desktop(folder, options.plugin, configuration(NOBODY), DEVICES) as desktop:
        heard = folder / "heard.raw"
        client = listen(desktop, heard)
        desktop.start("player", "pw-cat", "--playback", "--target", "speaker", str(folder / "tone.wav"))
        desktop.wait_for(lambda: "speaker:playback_FL" in desktop.call("pw-link", "--links", "--input"),
                         "the loudspeaker plays")
        desktop.call("pw-cli", "destroy", desktop.node("microphone"))
        desktop.wait_for(lambda: not desktop.node("microphone"), "the microphone is unplugged")
        time.sleep(3)
        desktop.call(
            "pw-cli", "create-node", "adapter",
            "{ factory.name = support.null-audio-sink node.name = microphone object.linger = true "
            "media.class = Audio/Source/Virtual audio.position = [ MONO ] priority.session = 3000 }")
        desktop.wait_for(lambda: "microphone:capture_MONO" in desktop.call("pw-link", "--links"),
                         "the microphone is linked when it is plugged in again")
        check(True, "a microphone that is plugged in again is linked")
        time.sleep(2)
        client.stop()
        # The microphone itself is silent, so all that is heard comes from the loudspeaker.
        level = decibels(read_floats(heard, 1)[:, 0])
        check(level < -90, "the loudspeaker is never heard, with a microphone, without, and with it again: "
                           f"{level:.0f} dBFS", Defect)


# Graphs of each rate, and one that can switch its rate.
SWITCHING = "context.properties = { default.clock.rate = 48000 default.clock.allowed-rates = [ 44100 48000 ] }\n"
GRAPHS = {
    "44.1 kHz": "context.properties = { default.clock.rate = 44100 }\n",
    "48 kHz": "context.properties = { default.clock.rate = 48000 }\n",
    "a switching rate": SWITCHING,
}


def switch(desktop, rate):
    desktop.call("pw-metadata", "-n", "settings", "0", "clock.force-rate", str(rate))


def check_rate(rate, graph, options, configuration, folder):
    """PipeWire 0.3.65 crashes if a rate is converted and the loudspeaker's stream is a monitor."""
    changed = configuration(NOBODY).replace("audio.rate = 48000", f"audio.rate = {rate}")
    write_noise(folder / "noise.wav", 60)
    with Desktop(folder, options.plugin, changed, GRAPHS[graph] + DEVICES, has_pulse=False) as desktop:
        recorder = Recorder(desktop, folder, "anechoic_source")
        desktop.play(folder / "noise.wav", "microphone:input_MONO", "speaker:playback_FL")
        description = f"audio.rate is {rate}, and the graph has {graph}"
        recorder.hears(description, seconds=3)
        if graph == "a switching rate":
            for each in (44100, 48000):
                switch(desktop, each)
                recorder.hears(f"{description}, now {each}")
        recorder.check_gaps(description)


def second(configuration):
    """The configuration of another plug-in beside the first."""
    for name in ("anechoic_capture", "anechoic_source", "anechoic_reference"):
        configuration = configuration.replace(name, name.replace("anechoic", "second"))
    return configuration.replace("audio.rate = 48000", "audio.rate = 16000")


class Life:
    """Two plug-ins with an application that listens, and a server that comes and goes."""

    def __init__(self, options, configuration, folder):
        self.options, self.folder = options, folder
        own = configuration(f"unix:{folder}/server.sock")
        write_noise(folder / "noise.wav", 120)
        self.desktop = Desktop(folder, options.plugin, own, SWITCHING + DEVICES + second(own), has_pulse=False)

    def lines(self, part, count):
        self.desktop.wait_for(lambda: sum(part in line for line in self.desktop.state_lines()) >= count,
                              f"{count} lines \"{part}\"")

    def server(self):
        return Server(self.options.server, self.folder)

    def play(self):
        desktop = self.desktop
        recorder = Recorder(desktop, self.folder, "anechoic_source", "second_source")
        desktop.play(self.folder / "noise.wav", "microphone:input_MONO")
        self.lines("no server", 2)
        recorder.hears("the server is away at login")
        with self.server() as server:
            self.lines("processes the microphone", 2)
            recorder.hears("the server has come")
            before = desktop.resources()
            for rate in (44100, 48000):
                switch(desktop, rate)
                recorder.hears(f"the graph switches to {rate}")
            server.stop(signal.SIGKILL)
            self.lines("no server", 4)
            recorder.hears("the server is killed")
        with self.server() as server:
            self.lines("processes the microphone", 4)
            recorder.hears("the server has come back")
            server.stop(signal.SIGTERM)
            check(server.child.returncode == 0, "the server stops in order")
            recorder.hears("the server is stopped")
        with self.server():
            self.lines("processes the microphone", 6)
            recorder.hears("another server has come")
            after = desktop.resources()
            check(all(now <= then + 3 for then, now in zip(before, after)),
                  f"nothing leaks: {before[0]} and {after[0]} files, {before[1]} and {after[1]} threads")
        recorder.check_gaps("two plug-ins, and a server that comes and goes")


def check_life(options, configuration, folder):
    life = Life(options, configuration, folder)
    with life.desktop:
        life.play()


# Situations that do not disturb each other.
BESIDE = {
    "unplugged": check_unplugged,
    **{f"{rate} in {graph}": partial(check_rate, rate, graph) for rate in RATES for graph in GRAPHS},
}
