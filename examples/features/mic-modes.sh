#!/usr/bin/env bash
# The three mic modes, each for the whole sample, and a change of the mode during a session.
source "$(dirname "$0")/common.sh"

for mode in standard voice-isolation wide-spectrum; do
  echo "== $mode"
  anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
    --output "$output/$mode.wav" --mic-mode "$mode"
done
echo "== voice isolation from 9 s"
anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
  --output "$output/changed.wav" --controls examples/features/mic-modes.jsonl \
  --events - | jq --compact-output '.micModeChanged // .controlResult // empty'
