#!/usr/bin/env bash
# A headset's button. The server applies the first press; the media client decides the second.
source "$(dirname "$0")/common.sh"

serve
call --controls examples/features/press-to-mute.jsonl
sessions gesture call-1 --client headset --id press-1         # toggles; policy APPLY
sessions gesture call-1 --client headset --id press-1         # the same press again
sleep 2
sessions gesture call-1 --client headset --id press-2 --unmute  # policy ASK: decided at 5 s
sessions delete call-1
wait "$media" || true  # it reports who deleted the session
