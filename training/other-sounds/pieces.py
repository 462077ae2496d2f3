"""Plays random pieces of music with the instruments of General MIDI, and lets eSpeak NG read numbers in all its languages.

    python pieces.py FOLDER --pieces 330 --readings 260

writes FOLDER/pieces/*.wav and FOLDER/readings/*.wav. It needs fluidsynth, fluid-soundfont-gm and espeak-ng of Debian, and
mido of PyPI.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

import mido
import numpy as np

_FONT = "/usr/share/sounds/sf2/FluidR3_GM.sf2"
_TICKS = 480
# Major, minor, two scales of five tones, and all tones, in semitones.
_SCALES = ((0, 2, 4, 5, 7, 9, 11), (0, 2, 3, 5, 7, 8, 10), (0, 3, 5, 7, 10), (0, 2, 4, 7, 9), tuple(range(12)))
_KINDS = ("melody", "chords", "arpeggio", "bass")
# Programs that sound like voices.
_VOICES = {52, 53, 54, 85, 91}
# Programs whose tones are struck or plucked: half of the parts of many pieces.
_STRUCK = (0, 1, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 45, 46, 104, 105, 107, 108)
_SECONDS = 24
_VARIANTS = ("", "+m1", "+m3", "+m5", "+m7", "+f1", "+f2", "+f3", "+f4", "+croak", "+klatt", "+klatt3")


def piece(random: np.random.Generator) -> mido.MidiFile:
    """Returns a piece of one to four parts."""
    file = mido.MidiFile(ticks_per_beat=_TICKS)
    tempo = random.uniform(55, 170)
    file.tracks.append(mido.MidiTrack([mido.MetaMessage("set_tempo", tempo=int(60e6 / tempo))]))
    key, scale = random.integers(12), _SCALES[random.integers(len(_SCALES))]
    for channel in range(1 if random.random() < 0.5 else random.integers(2, 5)):
        notes = _part(random, key, scale, _SECONDS * tempo / 60)
        file.tracks.append(_track(random, channel, notes))
    return file


def _part(random: np.random.Generator, key: int, scale: tuple[int, ...], beats: float) -> list[tuple]:
    """Returns the notes of a part: start and end in beats, pitch, velocity."""

    def in_scale(pitch: float) -> int:
        pitch = int(pitch)
        while (pitch - key) % 12 not in scale:
            pitch += 1
        return min(max(pitch, 21), 108)

    center, kind = random.integers(40, 88), random.choice(_KINDS)
    unit, legato, loudness = random.choice([0.25, 0.5, 0.5, 1, 1, 2]), random.uniform(0.2, 1.3), random.uniform(50, 110)
    notes, at, place, root, pitch = [], 0.0, 0, 0, float(center)
    while at < beats:
        length = unit * (1 if random.random() < 0.7 else random.choice([0.5, 1.5, 2]))
        if random.random() < 0.12:
            at += length
            continue
        if place % (2 if kind == "chords" else 8) == 0:
            root = random.integers(-7, 8)
        if kind == "melody":
            pitch = np.clip(pitch + random.integers(-5, 6), center - 14, center + 14)
            pitches = [pitch, pitch + 7] if random.random() < 0.1 else [pitch]
        elif kind == "chords":
            pitches = [center - 6 + root + step for step in (0, 4, 7, *((11,) if random.random() < 0.3 else ()))]
        elif kind == "arpeggio":
            pitches = [center + root + (0, 4, 7, 12)[place % 4]]
        else:
            pitches = [36 + root + (0, 7, 0, 12)[place % 4]]
        velocity = int(np.clip(loudness + random.normal(0, 10), 20, 127))
        notes += [(at, at + length * legato, each, velocity) for each in {in_scale(each) for each in pitches}]
        at, place = at + length, place + 1
    return notes


def _track(random: np.random.Generator, channel: int, notes: list[tuple]) -> mido.MidiTrack:
    while (program := int(random.integers(112))) in _VOICES:
        pass
    if random.random() < 0.35:
        program = int(random.choice(_STRUCK))
    track = mido.MidiTrack([
        mido.Message("program_change", channel=channel, program=program),
        mido.Message("control_change", channel=channel, control=91, value=int(random.integers(128)))])
    changes = [(start, "note_on", pitch, velocity) for start, _, pitch, velocity in notes]
    changes += [(end, "note_off", pitch, 0) for _, end, pitch, _ in notes]
    last = 0
    for beat, kind, pitch, velocity in sorted(changes, key=lambda each: (each[0], each[1] == "note_on")):
        ticks = max(last, int(beat * _TICKS))
        track.append(mido.Message(kind, channel=channel, note=pitch, velocity=velocity, time=ticks - last))
        last = ticks
    return track


def play(file: mido.MidiFile, output: Path, has_room: bool) -> None:
    """Writes a piece as WAV at 16 kHz."""
    notes = output.with_suffix(".mid")
    file.save(notes)
    subprocess.run(
        ["fluidsynth", "-ni", "-q", "-r", "16000", "-g", "0.5", "-R", str(int(has_room)), "-C", "0", "-F", output, _FONT,
         notes], check=True, capture_output=True)
    notes.unlink()


def languages() -> list[str]:
    lines = subprocess.run(["espeak-ng", "--voices"], capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split()[1] for line in lines[1:]]


def read(random: np.random.Generator, language: str, output: Path) -> bool:
    """Writes a reading of numbers, which every language has words for. Some voices of eSpeak NG's list fail."""
    numbers = " ".join(str(random.integers(10 ** random.integers(1, 5))) for _ in range(8))
    voice = language + _VARIANTS[random.integers(len(_VARIANTS))]
    pitch, speed = str(random.integers(15, 90)), str(random.integers(110, 220))
    command = ["espeak-ng", "-v", voice, "-p", pitch, "-s", speed, "-w", output, numbers]
    return subprocess.run(command, capture_output=True).returncode == 0


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("--pieces", type=int, default=330)
    options.add_argument("--readings", type=int, default=260)
    chosen = options.parse_args()
    pieces, readings = chosen.folder / "pieces", chosen.folder / "readings"
    for folder in (pieces, readings):
        folder.mkdir(parents=True, exist_ok=True)
    for seed in range(chosen.pieces):
        random = np.random.default_rng(seed)
        play(piece(random), pieces / f"{seed}.wav", has_room=seed % 2 == 1)
    known = languages()
    for seed in range(chosen.readings):
        random = np.random.default_rng(seed)
        while not read(random, known[random.integers(len(known))], readings / f"{seed}.wav"):
            pass


if __name__ == "__main__":
    main()
