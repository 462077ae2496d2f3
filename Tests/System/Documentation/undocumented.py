"""Lists the public symbols of a module that have no comment, from its symbol graph."""

import json
import sys
from pathlib import Path


def main() -> int:
    graph = json.loads(Path(sys.argv[1]).read_text())
    missing = [
        symbol for symbol in graph["symbols"]
        if "docComment" not in symbol and "location" in symbol
    ]
    for symbol in missing:
        place = symbol["location"]
        print(f"{place['uri'].rpartition('/')[2]}:{place['position']['line'] + 1}: "
              f"{'.'.join(symbol['pathComponents'])} has no comment", file=sys.stderr)
    print(f"{graph['module']['name']}: {len(graph['symbols'])} public symbols, {len(missing)} without a comment")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
