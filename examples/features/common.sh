# Shared by the examples: the built commands, the sample, and a folder for the outputs.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH="$PWD/.build/release:$PATH"
for program in anechoic anechoic-server; do
  command -v "$program" >/dev/null || {
    echo "$(basename "$0"): $program is neither in .build/release nor in PATH; scripts/demo builds the commands" >&2
    exit 2
  }
done
[[ -f sample/microphone.wav ]] || scripts/generate sample
[[ -f sample/music.wav ]] || examples/features/make-extras
output=sample/output
mkdir -p "$output"

# Ends the programs that the script has started and that still run, also after an error or Ctrl-C.
end_programs() {
  local running
  running="$(jobs -rp)"
  [[ -z "$running" ]] || kill $running
  wait || true
}

# Starts a server on a socket of its own, and stops it at the end of the script.
serve() {
  sockets="$(mktemp --directory)"
  server="unix:$sockets/server.sock"
  anechoic-server --listen "$server" --admin-listen off --http-listen off 2>"$sockets/log" &
  trap "end_programs; rm -r '$sockets'" EXIT
  anechoic health --server "$server" --wait 10s >"$sockets/health"
}

# Runs the sample as the session call-1 in real time, in the background, until the session is deleted.
# Returns once the session exists.
call() {
  anechoic process --server "$server" --pacing real-time --loop --session-id call-1 --client kiosk \
    --microphone sample/microphone.wav --far-end sample/reference.wav \
    --playback "$output/playback.wav" --output "$output/voice.wav" "$@" &
  media=$!
  until sessions show call-1 >"$sockets/session" 2>&1; do sleep 0.1; done
}

# anechoic sessions COMMAND on that server.
sessions() { anechoic sessions "$@" --server "$server"; }
