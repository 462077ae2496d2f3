"""Looks for recordings of a corpus in a folder of test data. Exits with 1 if it finds any that
overlaps.txt does not name: `Corpus` leaves those out.

Recordings are compared by pairs of spectral peaks (A. Wang, "An Industrial-Strength Audio Search Algorithm", 2003),
which survive echo, noise, other levels and lossy codecs, but not another pitch."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.ndimage import maximum_filter

from corpus import OVERLAPS, SOURCES, read, recordings

_SIZE, _HOP = 1024, 256
# A peak is the loudest of this many bins and frames, and pairs with this many later ones.
_NEIGHBORHOOD = (25, 15)
_PARTNERS = 5
# The pairs of one recording at the same distance in the other that are no accident.
_LEAST = 14


def pairs(samples: np.ndarray) -> list[tuple[int, int]]:
    """Returns for each pair of peaks a number for their bins and distance, and the frame of the first."""
    if len(samples) < _SIZE:
        return []
    blocks = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float32), _SIZE)[::_HOP]
    levels = np.log(np.abs(np.fft.rfft(blocks * np.hanning(_SIZE))) + 1e-6).T
    loudest = (maximum_filter(levels, _NEIGHBORHOOD) == levels) & (levels > np.quantile(levels, 0.75))
    frames, bins = np.nonzero(loudest.T)
    found = []
    for index, (frame, bin) in enumerate(zip(frames, bins)):
        partners = range(index + 1, min(index + 1 + _PARTNERS, len(frames)))
        found += [
            (int(bin) << 20 | int(bins[k]) << 8 | int(frames[k] - frame), int(frame))
            for k in partners if 0 < frames[k] - frame < 200
        ]
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("corpus", type=Path)
    options.add_argument("tests", type=Path, help="a folder of test data, as WAV, FLAC, Ogg or Opus")
    options.add_argument("--write", action="store_true", help="write overlaps.txt")
    chosen = options.parse_args()
    index: dict[int, list[tuple[Path, int]]] = {}
    for file in sorted(chosen.tests.rglob("*")):
        if file.suffix.lower() in (".wav", ".flac", ".ogg", ".opus"):
            for key, frame in pairs(read(file)):
                index.setdefault(key, []).append((file, frame))
    known = set(OVERLAPS.read_text().splitlines())
    found, worst = [], 0
    for name, clip in (recording for kind in SOURCES for recording in recordings(chosen.corpus, kind)):
        hits = Counter((file, there - frame) for key, frame in pairs(clip) for file, there in index.get(key, ()))
        (file, _), count = hits.most_common(1)[0] if hits else ((None, 0), 0)
        if count >= _LEAST:
            found.append(name)
            print(f"{name} is in {file.name}: {count} pairs" + (", left out" if name in known else ""))
        else:
            worst = max(worst, count)
    print(f"{len(found)} recordings overlap; at most {worst} pairs of another one agree, and {_LEAST} count")
    if chosen.write:
        OVERLAPS.write_text("".join(f"{name}\n" for name in found))
    elif not known.issuperset(found):
        sys.exit(1)


if __name__ == "__main__":
    main()
