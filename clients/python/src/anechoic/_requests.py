"""The requests of a session: mute, settings, decisions."""

from __future__ import annotations

import asyncio

from ._checks import check_bytes, check_flag, check_text
from ._link import Link
from ._start import voiceprint_message
from ._state import State
from .settings import Settings, config_of, mask_of
from .v1 import voice_processing_pb2 as api


class Requests:
    """The requests of a `Session`. Each waits for its answer, and throws the refusal."""

    _link: Link
    _state: State

    async def mute(self, *, at_sample: int | None = None) -> int:
        """Mutes at the next frame, or at a sample of the microphone. Returns the sample at which it happened.

        The output is silent from the request on, also for audio that the server had not muted yet.
        """
        return await self._set_mute(True, at_sample)

    async def unmute(self, *, at_sample: int | None = None) -> int:
        """Unmutes after all audio that was fed before, or at a sample of the microphone. Returns the sample."""
        return await self._set_mute(False, at_sample)

    async def configure(self, settings: Settings, *, at_sample: int | None = None) -> int:
        """Changes settings, also for a session that replaces this one. Returns the sample at which they took effect."""
        update = api.ConfigUpdate(config=config_of(settings), update_mask=mask_of(settings))
        sample = await self._control(at_sample, update_config=update)
        self._state.configured(update)
        return sample

    async def clear_playback(self) -> int:
        """Discards the far end and other audio that wait to be played, for barge-in.

        In real time, this is also the audio that was fed and has not been sent. A `feed` that waits for room goes on
        with the rest of its audio: cancel it before.
        """
        return await self._link.clear_playback()

    async def enroll_voice(self) -> int:
        """Learns the voice at the microphone: 3 s of it, while nothing plays. `voiceprint` has it afterwards.

        `VoiceEnrollmentChanged` tells the end, also of an enrollment that failed.
        """
        sample = await self._control(None, enroll_voice=api.EnrollVoice())
        self._state.enrolls(True)
        return sample

    async def set_voiceprint(self, voiceprint: bytes) -> int:
        """Keeps another voice in the mic mode VOICE_ISOLATION. Empty: the nearest one, and the voice is forgotten."""
        message = api.SetVoiceprint()
        check_bytes("voiceprint", voiceprint)
        if voiceprint:
            message.voiceprint.CopyFrom(voiceprint_message(voiceprint))
        sample = await self._control(None, set_voiceprint=message)
        self._state.voice_is(message.voiceprint if voiceprint else None)
        self._link.inbox.voiceprint = b""
        return sample

    async def decide_gesture(self, gesture_id: str, accept: bool) -> int:
        """Answers a `MuteGestureRequested`."""
        check_text("gesture_id", gesture_id)
        check_flag("accept", accept)
        decision = api.MuteGestureDecision(gesture_id=gesture_id, accept=bool(accept))
        return await self._control(None, decide_mute_gesture=decision)

    async def decide_injection(self, client: str, grant: bool, *, remember: bool = False) -> int:
        """Answers an `InjectionPermissionRequested`, or changes an answer. `remember` keeps it for later sessions."""
        check_text("client", client)
        check_flag("grant", grant)
        check_flag("remember", remember)
        decision = api.InjectionPermissionDecision(client=client, grant=bool(grant), remember=bool(remember))
        sample = await self._control(None, decide_injection_permission=decision)
        self._state.decided(client, grant)
        return sample

    async def _set_mute(self, muted: bool, at_sample: int | None) -> int:
        # The request outlives this call, and the connection.
        return await asyncio.shield(self._link.set_mute(muted, at_sample))

    async def _control(self, at_sample: int | None, **control: object) -> int:
        return await self._link.control(at_sample, **control)
