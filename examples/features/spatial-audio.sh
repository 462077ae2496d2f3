#!/usr/bin/env bash
# Two far ends are heard from both sides, change sides, and stay where they are while the head turns.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/microphone.wav --output "$output/voice.wav" \
  --far-end alice=sample/reference.wav --far-end bob=sample/music.wav \
  --place alice=90,0,1 --place bob=-90,0,2,-10 --headphones --head-tracking \
  --controls examples/features/spatial-audio.jsonl --playback "$output/playback.wav"
python3 -c "import sys, wave; print(wave.open(sys.argv[1]).getparams())" "$output/playback.wav"
