# The storage of the images that scripts/build images builds and scripts/test images runs.

# image_storage FOLDER: sets `storage`, to a folder below that of the repository.
image_storage() {
  storage=$1/.build-images
  mkdir -p "$storage"
}

# build ARGUMENT...: runs buildah with this storage.
build() { buildah --root "$storage/root" --runroot "$storage/run" --storage-driver overlay "$@"; }

# step WORDS: tells what is done now.
step() { echo "== $*" >&2; }
