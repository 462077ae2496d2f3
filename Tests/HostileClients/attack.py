"""Attacks anechoic-server with hostile clients. docs/testing.md describes the attacks."""

import argparse
import os
import sys

import suite
from attacks import (  # noqa: F401
    calls, connections, identity, limits, listener, messages, packets, profiles, routing, sessions)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, metavar="PATH", help="the anechoic-server to run")
    parser.add_argument("--untimed", action="store_true", help="late frames are reported, but no fault")
    parser.add_argument("--list", action="store_true", help="only say which attacks there are")
    parser.add_argument("attack", nargs="*", help="only these attacks")
    arguments = parser.parse_args()
    known = [attack.name for attack in suite.ATTACKS]
    if arguments.list:
        return print("\n".join(known))
    for name in arguments.attack:
        if name not in known:
            parser.error(f"there is no attack {name}; --list shows them")
    scale = float(os.environ.get("ANECHOIC_ATTACK_SCALE", "1"))
    sys.exit(0 if suite.run(arguments.attack, arguments.server, scale, arguments.untimed) else 1)


if __name__ == "__main__":
    main()
