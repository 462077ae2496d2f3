#!/usr/bin/env bash
# A headset is plugged in from 3 to 6 s, and the microphone is interrupted from 10 to 12 s.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
  --output "$output/routes.wav" --controls examples/features/routes-and-interruptions.jsonl \
  --events - |
  jq --compact-output 'select(.routeChanged or .interruption or .echoPathChanged) |
    [(.microphoneSample // 0) / 16000, .routeChanged.current.output // .interruption // .echoPathChanged]'
