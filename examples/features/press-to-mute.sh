#!/usr/bin/env bash
# A headset's button: applied by the server, then asked about and accepted by the media client.
source "$(dirname "$0")/common.sh"

serve
call --controls examples/features/press-to-mute.jsonl
sessions gesture call-1 --client headset --id press-1         # toggles; policy APPLY
sessions gesture call-1 --client headset --id press-1         # the same press again
sleep 2
sessions gesture call-1 --client headset --id press-2 --unmute  # policy ASK: decided at 5 s
sessions delete call-1
wait "$media" || true  # it says who deleted the session
