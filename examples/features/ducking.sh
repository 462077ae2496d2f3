#!/usr/bin/env bash
# Music under a call, lowered by 18 dB while somebody talks and by 6 dB otherwise.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/microphone.wav --reference sample/reference.wav \
  --far-end sample/reference.wav --other-audio sample/music.wav \
  --ducking mid --advanced-ducking \
  --playback "$output/playback.wav" --output "$output/voice.wav" --events - |
  jq --compact-output 'select(.duckingChanged) | [.microphoneSample / 16000, .duckingChanged]'
