#!/usr/bin/env bash
# Who talks when, on both sides: side, from which second on, and whether that is speech.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
  --far-end sample/reference.wav --output "$output/voice.wav" \
  --controls examples/features/voice-activity.jsonl --events - |
  jq --raw-output '.voiceActivityChanged // empty
    | "\(.beganAtSample / 16000) s  \(.side)  \(if .active then "talks" else "is silent" end)"'
