#!/usr/bin/env bash
# A doorbell speaks into a call, first as text and then as audio. The end of the call cuts the audio off.
source "$(dirname "$0")/common.sh"

serve
call --grant-injection always
anechoic inject --server "$server" --client doorbell --session call-1 \
  --usage "Announces visitors" --text "The door is open."
anechoic inject --server "$server" --client doorbell --session call-1 --audio sample/near.wav &
injection=$!
sleep 3
sessions delete call-1
wait "$media" "$injection" || true  # each reports what ended it
