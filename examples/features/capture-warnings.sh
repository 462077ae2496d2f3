#!/usr/bin/env bash
# A microphone that is dead, then too loud, then noisy. Then a far end without a reference.
source "$(dirname "$0")/common.sh"

show() {
  jq --compact-output 'select(.captureWarning) | [.microphoneSample / 16000, .captureWarning]'
}
anechoic process --microphone sample/trouble.wav --reference sample/reference.wav \
  --output "$output/voice.wav" --events - | show
echo "== a far end, but neither a reference nor a playback"
anechoic process --microphone sample/microphone.wav --far-end sample/reference.wav \
  --output "$output/voice.wav" --events - | show
