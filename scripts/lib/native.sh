# The builds of the native code that scripts/test native and scripts/test pipewire test: plain; quick, without
# optimisation; thread, for ThreadSanitizer; address, for AddressSanitizer with UndefinedBehaviorSanitizer. Both scripts
# share the core in .build-native. They source this file after usage.sh, in the folder of the repository.

# libgrpc and protobuf keep what they made until the process ends.
export ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1
TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$PWD/clients/native/tests/support/tsan-suppressions"
export TSAN_OPTIONS

# need_sanitizer OPTION VALUE...: checks that the name of a sanitizer follows an option.
need_sanitizer() {
  need_value "$@"
  [[ "$2" == thread || "$2" == address ]] || wrong_usage "$1: \"$2\" is unknown; use thread or address"
}

# build_native KIND CODE FOLDER TARGET: builds a target of clients/CODE in a folder.
build_native() {
  local flags=()
  case $1 in
    quick) flags=(CXXFLAGS="-O0 -g" CFLAGS="-O0 -g") ;;  # As scripts/build native: abidiff reads the types.
    thread) flags=(CXXFLAGS="-O1 -g1" SANITIZE=thread) ;;
    address) flags=(CXXFLAGS="-O1 -g1" SANITIZE=address,undefined) ;;
  esac
  make --directory "clients/$2" --jobs "$(nproc)" --silent OUT="$PWD/$3" CORE="$PWD/.build-native/$1" "${flags[@]}" "$4"
}

# find_server: sets `server` to the path of anechoic-server, which it builds if none was given, and makes the sample.
find_server() {
  if [[ -z "$server" ]]; then
    swift build --product anechoic-server >&2
    server=$(swift build --show-bin-path)/anechoic-server
  fi
  server=$(realpath "$server")
  [[ -f sample/microphone.wav ]] || scripts/generate sample
}
