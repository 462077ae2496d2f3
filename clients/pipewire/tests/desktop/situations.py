"""Situations of a desktop: devices that go, rates that change, servers that come and go."""

import signal
import time

import numpy as np
from processes import DEVICES, Desktop, Server, check, wait_for
from sound import RATE, decibels, longest_silence, read_floats, write_wave

RATES = (8000, 16000, 24000, 32000, 44100, 48000)
NOBODY = "unix:/nonexistent/a.sock"


def write_tone(path, seconds):
    tone = 8000 * np.sin(2 * np.pi * 440 * np.arange(RATE * seconds) / RATE)
    write_wave(path, RATE, tone, tone)


def listen(desktop, path, source="anechoic_source"):
    """Starts an application that hears a microphone, and waits until it does."""
    client = desktop.start(
        f"parec-{source}", "parec", f"--device={source}", "--raw", "--format=float32le", f"--rate={RATE}",
        "--channels=1", "--latency-msec=50", stdout=path.open("wb"))
    wait_for(lambda: path.stat().st_size > 4 * RATE, "an application hears the microphone")
    return client


def check_unplugged(options, configuration, folder):
    """WirePlumber must not take the loudspeaker for the microphone that is gone."""
    write_tone(folder / "tone.wav", 20)
    with Desktop(folder, options.plugin, configuration(NOBODY), DEVICES) as desktop:
        heard = folder / "heard.raw"
        client = listen(desktop, heard)
        desktop.start("player", "pw-cat", "--playback", "--target", "speaker", str(folder / "tone.wav"))
        wait_for(lambda: "speaker:playback_FL" in desktop.call("pw-link", "--links", "--input"),
                 "the loudspeaker plays")
        desktop.call("pw-cli", "destroy", desktop.node("microphone"))
        wait_for(lambda: not desktop.node("microphone"), "the microphone is unplugged")
        time.sleep(3)
        desktop.call(
            "pw-cli", "create-node", "adapter",
            "{ factory.name = support.null-audio-sink node.name = microphone object.linger = true "
            "media.class = Audio/Source/Virtual audio.position = [ MONO ] priority.session = 3000 }")
        wait_for(lambda: "microphone:capture_MONO" in desktop.call("pw-link", "--links"),
                 "the microphone is linked when it is plugged in again")
        check(True, "a microphone that is plugged in again is linked")
        time.sleep(2)
        client.stop()
        # The microphone itself is silent, so all that is heard comes from the loudspeaker.
        level = decibels(read_floats(heard, 1)[:, 0])
        check(level < -90, "the loudspeaker is never heard, with a microphone, without, and with it again: "
                           f"{level:.0f} dBFS")


def check_rates(options, configuration, folder):
    """PipeWire 0.3.65 crashes if a rate is converted and the loudspeaker's stream is a monitor."""
    pairs = [(rate, graph) for rate in RATES for graph in (44100, 48000)]
    for rate, graph in pairs if options.all_rates else ((8000, 48000), (44100, 48000), (48000, 44100)):
        place = folder / f"{rate}-{graph}"
        place.mkdir()
        write_tone(place / "tone.wav", 5)
        rig = f"context.properties = {{ default.clock.rate = {graph} }}\n" + DEVICES
        changed = configuration(NOBODY).replace("audio.rate = 48000", f"audio.rate = {rate}")
        with Desktop(place, options.plugin, changed, rig) as desktop:
            heard = place / "heard.raw"
            listen(desktop, heard)
            player = desktop.start(
                "player", "pw-cat", "--playback", "--target", "speaker", str(place / "tone.wav"))
            begin = heard.stat().st_size
            time.sleep(2)
            check(desktop.runs() and player.child.poll() is None and heard.stat().st_size > begin + 4 * RATE,
                  f"PipeWire runs with a rate of {rate} in a graph of {graph}")


# A graph that can switch its rate.
SWITCHING = "context.properties = { default.clock.rate = 48000 default.clock.allowed-rates = [ 44100 48000 ] }\n"


def second(configuration):
    """The configuration of another plug-in beside the first."""
    for name in ("anechoic_capture", "anechoic_source", "anechoic_reference"):
        configuration = configuration.replace(name, name.replace("anechoic", "second"))
    return configuration.replace("audio.rate = 48000", "audio.rate = 16000")


class Life:
    """Two plug-ins with applications that listen, and a server that comes and goes."""

    def __init__(self, options, configuration, folder):
        self.options, self.folder = options, folder
        own = configuration(f"unix:{folder}/server.sock")
        rng = np.random.default_rng(1)
        write_wave(folder / "noise.wav", RATE, rng.integers(-3000, 3000, 120 * RATE))
        self.desktop = Desktop(folder, options.plugin, own, SWITCHING + DEVICES + second(own))
        self.sources = {name: folder / f"{name}.raw" for name in ("anechoic_source", "second_source")}

    def lines(self, part, count):
        wait_for(lambda: sum(part in line for line in self.desktop.state_lines()) >= count or
                 not self.desktop.runs(), f"{count} lines \"{part}\"")
        check(self.desktop.runs(), f"PipeWire runs: {count} lines \"{part}\"")

    def hears(self, description):
        """Checks that sound goes on in both microphones."""
        begin = {path: path.stat().st_size for path in self.sources.values()}
        wait_for(lambda: all(path.stat().st_size > begin[path] + 4 * RATE for path in begin) or
                 not self.desktop.runs(), f"sound: {description}")
        check(self.desktop.runs(), f"sound goes on: {description}")

    def server(self):
        return Server(self.options.server, self.folder)

    def play(self):
        desktop = self.desktop
        desktop.start("player", "pw-cat", "--playback", "--target", "0", "-P", "{ node.name = player }",
                      str(self.folder / "noise.wav"))
        desktop.link("player:output_MONO", "microphone:input_MONO")
        for name, path in self.sources.items():
            listen(desktop, path, name)
        self.lines("no server", 2)
        self.hears("the server is away at login")
        with self.server() as server:
            self.lines("processes the microphone", 2)
            self.hears("the server has come")
            before = desktop.resources()
            for rate in (44100, 48000):
                desktop.call("pw-metadata", "-n", "settings", "0", "clock.force-rate", str(rate))
                self.hears(f"the graph switches to {rate}")
            server.stop(signal.SIGKILL)
            self.lines("no server", 4)
            self.hears("the server is killed")
        with self.server() as server:
            self.lines("processes the microphone", 4)
            self.hears("the server has come back")
            server.stop(signal.SIGTERM)
            self.hears("the server is stopped in order")
        with self.server():
            self.lines("processes the microphone", 6)
            self.hears("another server has come")
            after = desktop.resources()
            check(all(now <= then + 3 for then, now in zip(before, after)),
                  f"nothing leaks: {before[0]} and {after[0]} files, {before[1]} and {after[1]} threads")


def check_life(options, configuration, folder):
    life = Life(options, configuration, folder)
    with life.desktop:
        life.play()
    for name, path in life.sources.items():
        samples = read_floats(path, 1)[:, 0]
        begin = int(np.flatnonzero(samples)[0])
        print(f"        {name}: the longest gap is {1000 * longest_silence(samples[begin:]):.0f} ms", flush=True)


SITUATIONS = (check_unplugged, check_rates, check_life)
