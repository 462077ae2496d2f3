"""Prints the instructions per frame that scripts/bench --instructions has counted, in Markdown.

A case is counted twice, with few frames and with many, so that the start of the program does not
count: NAME.few and NAME.many are what callgrind wrote, NAME.few.json and NAME.many.json say how
many frames there were.
"""

import json
import re
import sys
from collections import Counter
from pathlib import Path

SERVICE_GOAL = 1.25  # times the C++ echo server
ALIGNER_GOAL = 0.1  # of the engine
OBSERVATION_GOAL = 0.02  # of the service
ANECHOIC_GOALS = {16000: 1.05, 48000: 0.8}  # times the bare libwebrtc, aligner included

# The part that a function belongs to, by its library and its name; the first that matches.
PARTS = [
    ("engine: libwebrtc", r"libwebrtc_audio_processing|/libm\.so", r""),
    ("libgrpc", r"libgrpc|libgpr|libabsl|libupb|libre2|libcares|libaddress_sorting", r""),
    ("libsamplerate", r"libsamplerate", r""),
    ("allocator", r"", r"^(_int_)?(malloc|free|calloc|realloc|memalign)|^operator (new|delete)|^unlink_chunk"),
    ("C library", r"/libc\.so|/ld-linux|libpthread|libstdc\+\+", r""),
    ("Swift runtime", r"libswift|libdispatch|libFoundation|lib_Foundation", r""),
    ("metrics, logs and identity", r"", r"^\$s(10Operations|14Authentication|7Logging)|"
     r"SessionObservation|ServerLog|AccessInterceptor|VoiceSessionC4flow"),
    ("aligner", r"", r"^\$s13EchoAlignment|_baseline$"),
    ("engine: anechoic", r"", r"_avx2$|^\$s14AnechoicEngine"),
    ("engine: around libwebrtc", r"", r"^\$s12WebRTCEngine|^cwap_|^\$s17PassThroughEngine"),
    ("engine: anechoic", r"", r"^\$s9AudioCore\d+(Real|Spectrum|Float|Kernels|Shared)"),
    ("frames and queues (AudioCore)", r"", r"^\$s9AudioCore"),
    ("resampling", r"", r"^\$s11AudioCodecs\d+(Frame|Stream|Detector)"),
    ("Opus", r"libopus", r""),
    ("Opus", r"", r"^\$s11AudioCodecs"),
    ("spatial audio", r"", r"^\$s12SpatialAudio"),
    ("session (VoiceSessions)", r"", r"^\$s13VoiceSessions"),
    ("messages (AnechoicAPI, SessionWire)", r"", r"^\$s(11AnechoicAPI|11SessionWire)"),
    ("service (VoiceServer)", r"", r"^\$s11VoiceServer"),
    ("GRPCTransport", r"", r"^\$s13GRPCTransport|cgrpc_|anechoic::"),
    ("libgrpc", r"", r"grpc::|grpc_"),
]


def part_of(library, function):
    for part, libraries, functions in PARTS:
        if libraries and not re.search(libraries, library):
            continue
        if re.search(functions, function):
            return part
    return "other"


def read_profile(path):
    """Returns the instructions of each function of a callgrind file, by library and name."""
    names = {"ob": {}, "fn": {}}
    costs = Counter()
    here = {"ob": "", "fn": ""}
    skips = False
    for line in path.read_text(errors="replace").splitlines():
        match = re.match(r"(ob|fn)=\((\d+)\)(?: (.*))?$", line)
        if match:
            kind, number, name = match.groups()
            if name:
                names[kind][number] = name
            here[kind] = names[kind][number]
        elif match := re.match(r"(cob|cfn)=\((\d+)\)(?: (.*))?$", line):
            kind, number, name = match.groups()
            if name:
                names[kind[1:]][number] = name
        elif line.startswith("calls="):
            skips = True  # the next line is the cost of the callee, counted there
        elif line and (line[0].isdigit() or line[0] in "+-*"):
            if not skips:
                fields = line.split()
                if len(fields) > 1:
                    costs[here["ob"], here["fn"]] += int(fields[1])
            skips = False
    return costs


class Case:
    def __init__(self, folder, name):
        few, many = (read_profile(folder / f"{name}.{size}") for size in ("few", "many"))
        frames = [
            json.loads((folder / f"{name}.{size}.json").read_text())["frames"]
            for size in ("few", "many")
        ]
        count = frames[1] - frames[0]
        self.functions = {
            key: (many[key] - few[key]) / count for key in many if many[key] != few[key]
        }
        self.parts = Counter()
        for (library, function), cost in self.functions.items():
            self.parts[part_of(library, function)] += cost
        self.total = sum(self.parts.values())

    def share(self, *prefixes):
        return sum(cost for part, cost in self.parts.items() if part.startswith(prefixes))


def lines_per_frame(folder, name):
    """Returns the cache lines that a frame misses, of a callgrind file with a simulated cache."""
    text = (folder / f"{name}.lines").read_text(errors="replace")
    events = re.search(r"^events: (.*)$", text, re.MULTILINE).group(1).split()
    totals = re.search(r"^(?:totals|summary): (.*)$", text, re.MULTILINE).group(1).split()
    misses = dict(zip(events, map(int, totals)))
    frames = json.loads((folder / f"{name}.lines.json").read_text())["frames"]
    return (misses["DLmr"] + misses["DLmw"]) / frames


def print_row(case, baseline, ours, goal=None, scale=1000):
    ratio = ours / baseline
    verdict = "–" if goal is None else f"≤ {goal}" + (", missed" if ratio > goal else "")
    print(f"| {case} | {baseline / scale:.1f} | {ours / scale:.1f} | {ratio:.3g} | {verdict} |")


def main():
    folder = Path(sys.argv[1])
    cxx, swift, bare_service, service, engine, session = (
        Case(folder, name)
        for name in (
            "echo.cxx", "echo.swift", "service.none", "service.webrtc", "engine", "session.webrtc"
        )
    )
    aligner = session.share("aligner")
    print("| thousand instructions per frame, 16 kHz | baseline | ours | ratio | goal |")
    print("|---|---|---|---|---|")
    print_row("echo server: C++, Swift", cxx.total, swift.total)
    print_row("service without its engine: C++ echo server, service", cxx.total,
              bare_service.total, SERVICE_GOAL)
    print_row("the same without the aligner", cxx.total,
              bare_service.total - bare_service.share("aligner"), SERVICE_GOAL)
    print_row("aligner: bare engine, aligner", engine.total, aligner, ALIGNER_GOAL)
    print_row("session by itself: bare engine, session", engine.total, session.total)
    for rate, goal in ANECHOIC_GOALS.items():
        bare = Case(folder, "engine" if rate == 16000 else f"engine.{rate}")
        print_row(f"session with anechoic, {rate // 1000} kHz: bare libwebrtc, session", bare.total,
                  Case(folder, f"session.anechoic.{rate}").total, goal)
    kinds = {kind: Case(folder, f"session.{kind}.48000")
             for kind in ("plain", "opus", "mixed", "spatial")}
    print_row("session, 48 kHz: PCM, Opus in and out", kinds["plain"].total, kinds["opus"].total)
    print_row("session, 48 kHz, 16 far ends: mixed down, for both ears while the head turns",
              kinds["mixed"].total, kinds["spatial"].total)
    print_row("service: C++ echo server + bare engine, service", cxx.total + engine.total,
              service.total)
    print_row("metrics, logs and identity: service, their part of it", service.total,
              service.share("metrics"), OBSERVATION_GOAL)
    print_row("cache lines missed per frame, 20 in turn: bare engines, sessions",
              lines_per_frame(folder, "engine"), lines_per_frame(folder, "session.webrtc"), scale=1)
    print()
    columns = [cxx, bare_service, service, session, engine]
    print("| part, thousand instructions per frame | C++ echo | service without its engine "
          "| service | session | bare engine |")
    print("|---|---|---|---|---|---|")
    parts = dict.fromkeys(part for part, _, _ in PARTS) | {"other": None}
    for part in parts:
        costs = " | ".join(f"{case.parts[part] / 1000:.1f}" for case in columns)
        print(f"| {part} | {costs} |")
    print(f"| all | {' | '.join(f'{case.total / 1000:.1f}' for case in columns)} |")
    print()
    def heap(name):
        return json.loads((folder / f"heap.{name}.json").read_text())["heap_bytes_per_session"] / 1024

    for name, words in (("webrtc", "with"), ("none", "without")):
        print(f"A session takes {heap(name):.0f} KiB of heap {words} an engine.")
    print(f"At 48 kHz, anechoic takes {heap('anechoic.48000') - heap('none.48000'):.0f} KiB of them.")


main()
