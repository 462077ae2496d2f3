#!/usr/bin/env bash
# A microphone that is dead, then too loud, then noisy; and a loudspeaker without a reference.
source "$(dirname "$0")/common.sh"

show() {
  jq --compact-output 'select(.captureWarning) | [.microphoneSample / 16000, .captureWarning]'
}
anechoic process --microphone sample/trouble.wav --reference sample/reference.wav \
  --output "$output/voice.wav" --events - | show
echo "== far end, but neither reference nor playback"
anechoic process --microphone sample/microphone.wav --far-end sample/reference.wav \
  --output "$output/voice.wav" --events - | show
