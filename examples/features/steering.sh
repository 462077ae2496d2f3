#!/usr/bin/env bash
# A second connection watches and controls a running session.
source "$(dirname "$0")/common.sh"

serve
call --label room=lobby
sessions watch call-1 --stats 1 &
watching=$!
sessions list
sessions mute call-1 --client desk
sessions mute call-1 --client desk --if-generation 0 || echo "the state has changed in the meantime"
sessions set call-1 preferred_mic_mode=VOICE_ISOLATION labels.floor=2 >"$sockets/session"
sleep 1
sessions delete call-1
wait "$media" "$watching" || true
