"""`anechoic process`: a recording, in real time or as fast as possible. The output is the file that it writes."""

import os
import subprocess
import wave

from common import arguments, log, microphone, tell


def main() -> None:
    options = arguments()
    folder = os.path.dirname(options.output)
    source, target = f"{folder}/microphone.wav", f"{folder}/processed.wav"
    with wave.open(source, "wb") as file:
        file.setparams((1, 2, options.rate, 0, "NONE", ""))
        file.writeframes(microphone(0, round(options.seconds * options.rate)).tobytes())
    command = [os.environ["ANECHOIC"], "process", "--server", options.server, "--microphone", source,
               "--output", target]
    tell("began")
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
                               stdin=subprocess.DEVNULL)
    for line in process.stderr:
        log(line.rstrip())
        for part, event in (("reconnecting", "reconnecting"), ("goes on", "resumed"), ("new session", "restarted")):
            if part in line:
                tell(event, message=line.strip())
                break
    if process.wait() != 0:
        tell("failed")
        return
    with wave.open(target, "rb") as file, open(options.output, "wb") as output:
        output.write(file.readframes(file.getnframes()))


main()
