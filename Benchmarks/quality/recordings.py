"""Scores an engine on recordings: echo, voice, noise, voice activity and gain control.

The folder of --quality has score.py, dev/manifest.json and real/manifest.json. Each recording is streamed through
`anechoic process` with gain control off, except for the recordings that test gain control. An output is as long as its
input, so the delay of the engine would cut off the end of a voice, which PESQ counts as lost: 100 ms of silence follow
each recording. --python names a Python with the packages that score.py needs.
"""
import concurrent.futures
import json
import pathlib
import statistics
import subprocess
import tempfile

from .cli import failed

SETS = ("dev", "real")
# Copies the files of a set, with silence after each.
LENGTHEN = """
import json, pathlib, sys, numpy, soundfile
folder, result = map(pathlib.Path, sys.argv[1:])
for item in json.loads((folder / "manifest.json").read_text())["items"]:
    for name in filter(None, (item["mic"], item.get("ref"))):
        subtype = soundfile.info(folder / name).subtype
        sound, rate = soundfile.read(folder / name, dtype="int16" if subtype == "PCM_16" else "float32", always_2d=True)
        silence = numpy.zeros((rate // 10, sound.shape[1]), sound.dtype)
        soundfile.write(result / name, numpy.concatenate([sound, silence]), rate, subtype)
"""


def run(command, what):
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        failed(f"{what}: {result.stderr.strip()}")


def process(anechoic, engine, folder, item, outputs):
    """Processes a recording. Writes what score.py reads: the sound, and the probabilities of voice."""
    sound, frames = outputs / f"{item['id']}.wav", outputs / f"{item['id']}.frames"
    command = [anechoic, "process", "--microphone", folder / item["mic"], "--output", sound, "--frames", frames]
    if item.get("ref"):
        command += ["--reference", folder / item["ref"]]
    if item["kind"] != "agc":
        command += ["--gain-control", "off"]
    if engine:
        command += ["--engine", engine]
    run(command, item["id"])
    if item["kind"].startswith("vad"):
        found = [json.loads(line) for line in frames.read_text().splitlines()]
        probabilities = [frame.get("speechProbability", 0) for frame in found]
        (outputs / f"{item['id']}.vad.json").write_text(json.dumps({"hop": 0.01, "prob": probabilities}))


def score(python, quality, which, outputs, label):
    report = outputs / "report.json"
    command = [python, quality / "score.py", "--manifest", quality / which / "manifest.json", "--out", outputs,
               "--label", label, "--json", report]
    run(command, "score.py")
    return json.loads(report.read_text())


def mean(report, kind, name):
    values = [item[name] for item in report["items"].values()
              if item["kind"] == kind and isinstance(item.get(name), (int, float))]
    return statistics.fmean(values) if values else float("nan")


def rows(dev, real):
    """Yields what is measured, its value and its goal."""
    def pair(report, kind, *names, digits=2):
        return " / ".join(f"{mean(report, kind, name):.{digits}f}" for name in names)

    yield "real double talk, echo / near", pair(real, "real_dt", "aecmos_echo", "aecmos_deg"), "4.3 / 3.8"
    yield ("simulated double talk, echo / near / PESQ",
           pair(dev, "dt", "aecmos_echo", "aecmos_deg", "dt_pesq"), "4.25 / 3.0 / 2.2")
    yield "near level in double talk, dB", pair(dev, "dt", "dt_gain_db"), "within 1.5"
    yield "far end alone: echo; ERLE late, dB", pair(dev, "fest", "aecmos_echo", "erle_late"), "4.6 / 45"
    yield "delay and drift, echo / near", pair(dev, "delay", "aecmos_echo", "aecmos_deg"), "4.3 / 3.4"
    yield "path change, echo / near", pair(dev, "epc", "aecmos_echo", "aecmos_deg"), "4.3 / 3.0"
    yield "near end alone: PESQ / near MOS", pair(dev, "nest", "pesq", "aecmos_deg"), "3.5 / 3.9"
    yield "noise: DNSMOS overall / PESQ", pair(dev, "ns", "dns_ovrl", "pesq"), "2.6 / 1.45"
    for kind, goal in ("vad", ".95"), ("vad_ami", ".95"), ("vad_sim", ".93"):
        yield f"voice activity ({kind}): AUC", f"{dev['summary'].get(kind, {}).get('auc', float('nan')):.3f}", goal
    yield ("gain control: spread of 36 dB, overshoot, noise in pauses, dB",
           f"{dev['summary'].get('agc', {}).get('out_range_db', float('nan')):.1f} / "
           + pair(dev, "agc", "overshoot_1s_db", "pause_gain_db", digits=1), "6 / 2 / 2")
    yield "algorithmic delay, ms", json.dumps(dev["delay_ms"]), "16"


def measure(arguments):
    if not (arguments.quality / "score.py").exists():
        print(f"bench quality: nothing was measured: there is no {arguments.quality}/score.py")
        return
    with tempfile.TemporaryDirectory() as temporary:
        reports = {}
        for which in SETS:
            outputs = (arguments.keep or pathlib.Path(temporary)) / which
            outputs.mkdir(parents=True, exist_ok=True)
            folder = pathlib.Path(temporary) / f"{which}-inputs"
            folder.mkdir()
            run([arguments.python, "-c", LENGTHEN, arguments.quality / which, folder], which)
            items = json.loads((arguments.quality / which / "manifest.json").read_text())["items"]
            with concurrent.futures.ThreadPoolExecutor(2) as pool:
                list(pool.map(
                    lambda item: process(arguments.anechoic, arguments.engine, folder, item, outputs), items))
            reports[which] = score(arguments.python, arguments.quality, which, outputs, arguments.engine or "default")
        for what, value, goal in rows(reports["dev"], reports["real"]):
            print(f"{what:62} {value:24} goal {goal}")

