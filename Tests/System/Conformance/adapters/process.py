"""A program that sends a recording: PROCESS is its command. The output is the file that it writes."""

import os
import subprocess
import wave

from common import arguments, log, microphone, tell


PARTS = (
    ("reconnecting", "reconnecting"), ("connection lost", "reconnecting"), ("goes on", "resumed"),
    ("resumed at", "resumed"), ("is new", "restarted"), ("new session", "restarted"), ("new one begins", "restarted"),
)


def main() -> None:
    options = arguments()
    folder = os.path.dirname(options.output)
    source, target = f"{folder}/microphone.wav", f"{folder}/processed.wav"
    with wave.open(source, "wb") as file:
        file.setparams((1, 2, options.rate, 0, "NONE", ""))
        file.writeframes(microphone(0, round(options.seconds * options.rate)).tobytes())
    command = [*os.environ["PROCESS"].split(), "--server", options.server, "--microphone", source, "--output", target]
    tell("began")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
        env=environment)
    for line in process.stdout:
        log(line.rstrip())
        for part, event in PARTS:
            if part in line:
                tell(event, message=line.strip())
                break
    if process.wait() != 0:
        tell("failed")
        return
    with wave.open(target, "rb") as file, open(options.output, "wb") as output:
        output.write(file.readframes(file.getnframes()))


main()
