# strip_program FILE: removes what a program does not need to run, and makes its bytes those of its code alone. Swift's
# hashes of modules depend on the folder of the build, and nothing reads them, so that they become zeros. The linker's
# id of the build depends on those hashes, so that it becomes the SHA-1 of the program with zeros in both places.
# Removing the two sections instead would make GNU strip forget to protect the program's tables (RELRO).
strip_program() {
  strip --remove-section=.comment --remove-section=.note "$1"
  python3 - "$1" <<'PYTHON'
import hashlib
import re
import subprocess
import sys

path = sys.argv[1]
printed = subprocess.run(["readelf", "--sections", "--wide", path], check=True, capture_output=True, text=True)
code = bytearray(open(path, "rb").read())


def place(section):
    row = re.search(rf" {re.escape(section)} +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)", printed.stdout)
    start, size = (int(text, 16) for text in row.groups()) if row else (0, 0)
    return start, start + size


start, end = place(".swift_modhash")
code[start:end] = bytes(end - start)
# The note has 16 bytes before its 20 bytes of SHA-1.
start, end = place(".note.gnu.build-id")
if end - start != 36:
    sys.exit(f"{path}: the linker's id of the build is not SHA-1")
code[start + 16:end] = bytes(20)
code[start + 16:end] = hashlib.sha1(code).digest()
open(path, "r+b").write(code)
PYTHON
}
