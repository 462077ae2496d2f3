#!/usr/bin/python3
"""Tests the plug-in under a real PipeWire: the echo, the delay, and a server that comes and goes.

A call is played into a PipeWire without sound cards, in which both PipeWire's own echo canceller and
Anechoic run. The call has three parts:

  laptop     the sample: the echo follows its reference after 33 ms
  bluetooth  the echo follows 150 ms later, as with a wireless loudspeaker or a television; when the
             near end begins to talk, the server is killed, and it is started again
  again      the far end, then the near end, as in the part before

Shorter tests are about situations: the microphone is unplugged while the loudspeaker plays, and plugged in again; each
rate of the plug-in in graphs of 44.1 and 48 kHz, and in one that switches between them; and two plug-ins in such a
graph, with a server that is away at login, killed, and stopped in order. Those that do not disturb each other run
beside each other, each with a PipeWire of its own. One that fails there is tried again alone, unless PipeWire has ended
or the loudspeaker was heard: then the test ends.

With --compare, Anechoic must also be better than PipeWire's own canceller, which needs a machine that does nothing
else.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from call import Call, check_log, check_pulse, check_quality, check_recovery, run_call
from processes import Defect, Desktop, Failure, Server
from situations import BESIDE, check_life

ATTEMPTS = 3  # of a situation that runs alone
AT_ONCE = 6  # situations that run beside each other


def check_call(options, configuration, folder):
    call = Call(options.sample)
    with Server(options.server, folder) as server, \
            Desktop(folder, options.plugin, configuration(f"unix:{folder}/server.sock")) as desktop:
        (microphone, webrtc, anechoic), pulse, lines = run_call(
            desktop, server, folder, options.server, call)
    call.find(microphone)
    delay = check_quality(call, microphone, {"webrtc": webrtc, "anechoic": anechoic},
                          options.compare)
    check_recovery(call, microphone, anechoic, delay)
    check_pulse(call, anechoic, pulse)
    check_log(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--plugin", type=Path, required=True, help="libspa-aec-anechoic.so")
    parser.add_argument("--server", type=Path, required=True, help="anechoic-server")
    parser.add_argument("--configuration", type=Path, required=True, help="50-anechoic.conf")
    parser.add_argument("--sample", type=Path, required=True, help="the folder of the sample")
    parser.add_argument("--compare", action="store_true", help="compares with PipeWire's canceller")
    parser.add_argument("--keep", type=Path, help="a folder that keeps recordings and logs")
    options = parser.parse_args()
    alone = {"life": check_life, "call": check_call}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        succeeded = pool.map(partial(succeeds, options), BESIDE, BESIDE.values())
    alone |= {name: run for (name, run), fine in zip(BESIDE.items(), succeeded) if not fine}
    for name, run in alone.items():
        if not any(succeeds(options, name, run) for _ in range(ATTEMPTS)):
            sys.exit(f"test_desktop: {name} has failed {ATTEMPTS} times")


def succeeds(options, name, run):
    """Runs a situation, and returns whether it is as it should be."""
    text = options.configuration.read_text()
    with tempfile.TemporaryDirectory() as temporary:
        folder = (options.keep or Path(temporary)) / name.replace(" ", "-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        try:
            run(options, lambda address: text.replace("127.0.0.1:50051", address), folder)
        except (Failure, subprocess.TimeoutExpired) as failure:
            print(f"FAILED  {name}: {failure}", flush=True)
            return False
        return True


if __name__ == "__main__":
    try:
        main()
    except Defect as defect:
        sys.exit(f"test_desktop: {defect}")
