"""Attacks anechoic-server with hostile clients. docs/testing.md describes the attacks."""

import os
import sys
from pathlib import Path

import suite
from attacks import (  # noqa: F401
    calls, connections, https, identity, limits, listener, messages, packets, profiles, routing, sessions)

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))
from lib.usage import Arguments  # noqa: E402


def main():
    parser = Arguments(prog="scripts/test attack", description=__doc__)
    parser.add_argument("--server", metavar="PATH", help="the anechoic-server to run")
    parser.add_argument("--untimed", action="store_true", help="late frames are reported, but no fault")
    parser.add_argument("--list", action="store_true", help="only say which attacks there are")
    parser.add_argument("attack", nargs="*", help="only these attacks")
    arguments = parser.parse_args()
    known = [attack.name for attack in suite.ATTACKS]
    for name in arguments.attack:
        if name not in known:
            parser.error(f"there is no attack {name}; --list shows them")
    if arguments.list:
        return print("\n".join(known))
    if arguments.server is None:
        parser.error("--server is missing")
    scale = float(os.environ.get("ANECHOIC_ATTACK_SCALE", "1"))
    sys.exit(0 if suite.run(arguments.attack, arguments.server, scale, arguments.untimed) else 1)


if __name__ == "__main__":
    main()
