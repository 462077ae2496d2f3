"""Records from the microphone of the PipeWire plug-in until its first processed sound.

Uses the unpacked packages in the folder that is its argument, under a PipeWire without sound cards.
"""

import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "clients/pipewire/tests/desktop"))

from processes import Desktop, Server, wait_for  # noqa: E402


def main() -> None:
    installed = Path(sys.argv[1])
    plugin = next(installed.rglob("libspa-aec-anechoic.so"))
    configuration = next(installed.rglob("50-anechoic.conf")).read_text()
    with tempfile.TemporaryDirectory() as folder, \
            Server(installed / "usr/bin/anechoic-server", folder) as server:
        configuration = configuration.replace("127.0.0.1:50051", f"unix:{server.socket}")
        with Desktop(folder, plugin, configuration) as desktop:
            desktop.start(
                "recorder", "pw-cat", "--record", "--target", "anechoic_source",
                str(Path(folder) / "voice.wav"))
            wait_for(lambda: any("processes the microphone" in line for line in desktop.state_lines()),
                     "the plug-in says that it processes the microphone", seconds=60)


if __name__ == "__main__":
    main()
