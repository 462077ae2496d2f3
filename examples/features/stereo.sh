#!/usr/bin/env bash
# A microphone with two channels gives a processed voice with two channels.
source "$(dirname "$0")/common.sh"

anechoic process --microphone sample/stereo.wav --reference sample/reference.wav \
  --output "$output/stereo.wav"
python3 -c "import sys, wave; print(wave.open(sys.argv[1]).getparams())" "$output/stereo.wav"
