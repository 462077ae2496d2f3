#!/usr/bin/env bash
# Mutes the sample from 10.5 to 17 s, while the near end keeps talking after a pause. The last control names an old
# generation and is refused: the command then exits with 2, and its outputs are complete.
source "$(dirname "$0")/common.sh"

{
  anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
    --output "$output/muted.wav" --controls examples/features/mute.jsonl --events - || [[ $? == 2 ]]
} |
  jq --compact-output 'select(.controlResult or .muteChanged or .mutedSpeechActivity) | del(.time)'
