#!/usr/bin/env bash
# A session continues after its connection was cut for a second.
source "$(dirname "$0")/common.sh"

serve
proxy="$sockets/proxy.sock"
run_proxy() {
  examples/features/proxy.py "$proxy" "$sockets/server.sock" &
  proxy_process=$!
  until [[ -S "$proxy" ]]; do sleep 0.05; done
}

run_proxy
anechoic process --server "unix:$proxy" --pacing real-time --microphone sample/microphone.wav \
  --reference sample/reference.wav --session-id call-1 --output "$output/voice.wav" \
  --events "$output/resumed.jsonl" &
media=$!
sleep 5
kill -KILL "$proxy_process"
rm "$proxy"
sleep 0.5
sessions list
sleep 0.5
run_proxy
wait "$media"
jq -c 'select(.sessionSuspended or .sessionResumed or .discontinuity)' "$output/resumed.jsonl"
