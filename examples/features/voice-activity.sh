#!/usr/bin/env bash
# Voice activity of both sides: the second, the side, and whether it talks.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
  --far-end sample/reference.wav --output "$output/voice.wav" \
  --controls examples/features/voice-activity.jsonl --events - |
  jq --raw-output '.voiceActivityChanged // empty
    | "\(.beganAtSample / 16000) s  \(.side)  \(if .active then "talks" else "is silent" end)"'
