"""libanechoic: translates the options and the events of clients/native/tests/conformance-client."""

import json
import os
import subprocess

from common import arguments, log, tell


def main() -> None:
    options = arguments()
    command = [os.environ["NATIVE_CLIENT"], "--server", options.server, "--rate", str(options.rate),
               "--seconds", str(options.seconds), "--output", options.output, "--fallback", options.fallback]
    if options.engine:
        command += ["--engine", options.engine]
    if options.decide:
        command.append("--decide")
    if options.idle_ms:
        command += ["--idle-ms", str(options.idle_ms)]
    if options.mute_at == 0:
        command.append("--muted")
    times = {"--mute-at": options.mute_at, "--unmute-at": options.unmute_at, "--stall-at": options.stall_at,
             "--stall": options.stall, "--pause-at": options.pause_at, "--pause": options.pause}
    for name, milliseconds in times.items():
        if milliseconds:
            command += [name, str(milliseconds / 1000)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)
    for line in process.stdout:
        log(line.rstrip())
        said = json.loads(line)
        if said.get("started"):
            tell("began")
        elif said.get("event") == "FALLBACK":
            tell("lost", message=said["text"])
        elif said.get("event") == "LATE":
            tell("late", message=said["text"])
        elif said.get("event") in ("INJECTION_REQUESTED", "GESTURE_REQUESTED"):
            tell("asked", message=said["text"])
        elif "muted" in said:
            tell("muted", muted=said["muted"])
    raise SystemExit(process.wait())


main()
