# strip_program FILE: removes what a program does not need to run. The same code then has the same bytes, whatever the
# folder it was built in: Swift's hashes of modules and the linker's id of the build depend on the folder.
strip_program() {
  strip --remove-section=.comment --remove-section=.note --remove-section=.swift_modhash \
    --remove-section=.note.gnu.build-id "$1"
}
