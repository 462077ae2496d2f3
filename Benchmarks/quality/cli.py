"""The words and options of scripts/bench quality."""
import argparse
import importlib.util
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
from lib.usage import Arguments, number  # noqa: E402

WORDS = {
    "recordings": "echo, voice, noise, voice activity and gain control, on recordings with references (the default)",
    "calls": "whole calls: echo left, false voice, moves of the aligner, near frames lost",
    "voices": "many voices at many levels: frames lost, change of level",
    "beginnings": "sessions that begin in the middle of a voice",
    "events": "sounds that are no voice: false voice, change of level",
    "isolation": "one voice isolated from others and from a television, with and without an enrollment",
    "turns": "turns of a person: false cut-offs and delays of their ends, false and missed interruptions of a bot",
    "words": "the words that a speech recognizer hears before and after processing",
}
NEEDS = ("numpy", "soundfile")


def main():
    arguments = parsed(sys.argv[1:])
    if arguments.word == "recordings":
        from . import recordings

        return recordings.measure(arguments)
    python = os.path.abspath(shutil.which(arguments.python) or arguments.python)
    if python != sys.executable:
        if not os.access(python, os.X_OK):
            failed(f"--python {arguments.python}: there is no such program")
        os.execv(python, [python, *sys.argv])
    for folder in (arguments.quality / "dev" / "manifest.json", arguments.training / "speech"):
        if not folder.exists():
            print(f"bench quality: nothing was measured: there is no {folder}")
            return
    for package in NEEDS:
        if importlib.util.find_spec(package) is None:
            failed(f"{sys.executable} has no {package}; install it with: {sys.executable} -m pip install {package}")
    if shutil.which(arguments.anechoic) is None:
        failed(f"--anechoic {arguments.anechoic}: there is no such program; use scripts/build release anechoic")
    report = measured(arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1))


def measured(arguments):
    from .corpus import Corpus
    from .runs import Runner

    module = importlib.import_module(f".{arguments.word}", __package__)
    for name in getattr(arguments, "only", None) or []:
        if name not in module.SETS:
            failed(f"--only {name}: there is no such set; use one of: {', '.join(module.SETS)}")
    runner = Runner(arguments.anechoic, arguments.engine, arguments.keep)
    return module.measure(runner, Corpus(arguments.quality, arguments.training), arguments)


def failed(problem):
    sys.stderr.write(f"bench quality: {problem}\n")
    raise SystemExit(2)


def parsed(words):
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--quality", type=pathlib.Path, default=pathlib.Path("../shared/quality"), metavar="FOLDER")
    shared.add_argument("--engine", metavar="NAME", help="an engine of anechoic capabilities")
    shared.add_argument("--anechoic", default=".build/release/anechoic", metavar="PATH")
    shared.add_argument("--python", default=sys.executable, metavar="PATH",
                        help="a Python with the packages that the measurement needs")
    shared.add_argument("--keep", type=pathlib.Path, metavar="FOLDER", help="keep the sounds there")
    made = argparse.ArgumentParser(add_help=False)
    made.add_argument("--training", type=pathlib.Path, default=pathlib.Path("../shared/training"), metavar="FOLDER")
    made.add_argument("--seed", type=number(int, 0, 2**31), default=1, metavar="N", help="the seed of all choices (default: 1)")
    made.add_argument("--count", type=number(int, 1, 1000000), metavar="N", help="how many sessions a set has")
    made.add_argument("--json", type=pathlib.Path, metavar="FILE", help="the file to write all figures to")
    parser = Arguments(
        prog="scripts/bench quality", description="Scores an engine.",
        epilog="Benchmarks/README.md explains the figures. scripts/bench quality WORD --help lists the options.")
    parsers = parser.add_subparsers(dest="word", metavar="WORD")
    for word, help_text in WORDS.items():
        parents = [shared] if word == "recordings" else [shared, made]
        each = parsers.add_parser(word, parents=parents, help=help_text, description=f"Measures {help_text}.")
        if word in ("calls", "voices", "events", "isolation", "turns"):
            each.add_argument("--only", action="append", metavar="NAME", help="only this set; repeatable")
        if word == "turns":
            each.add_argument("--smart-turn", action="store_true",
                              help="also measure Smart Turn v3; needs pipecat-ai in --python")
        if word == "beginnings":
            each.add_argument("--echo", action="store_true", help="the far end begins with the call")
    if not words or (words[0].startswith("-") and words[0] not in ("-h", "--help")):
        words = ["recordings", *words]
    return parser.parse_args(words)
