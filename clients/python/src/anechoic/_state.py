"""The state that a new session takes over from the one before it."""

from __future__ import annotations

from typing import Any

from .v1 import config_pb2, voice_processing_pb2 as api

_MOST_PERMISSIONS = 1000
_STAGES = ("echo_cancellation", "noise_suppression", "gain_control", "high_pass_filter")


class State:
    """Mute, settings, permissions and the id of a session, with the changes of all clients. The class does no I/O.

    >>> state = State(is_muted=True)
    >>> state.is_connected = True
    >>> number = state.want_mute(False)
    >>> state.is_muted, state.starts_muted
    (True, False)
    >>> state.is_connected = False
    >>> state.is_muted
    False
    """

    def __init__(self, is_muted: bool = False) -> None:
        self.session_id = ""
        """The id of the last session. Empty before the first one."""
        self.is_connected = False
        """Whether a session runs. The client alone decides otherwise."""
        self.resends_muted = False
        """Whether the next session begins with audio that was captured while muted, though it is unmuted now."""
        self.permissions: dict[str, bool] = {}
        """This client's decisions about clients that asked to inject speech: the last 1,000."""
        self._is_muted = is_muted
        self._wanted: bool | None = None
        self._requests = 0
        self._wanted_by = 0
        """The number of the request for the wanted state."""
        self._voiceprint: api.Voiceprint | None = None
        self._enrolls = False
        self._config: config_pb2.SessionConfig | None = None
        self._resolved: config_pb2.SessionConfig | None = None

    # A new session.

    def continue_in(self, start: api.Start) -> None:
        """Makes a start begin with this state."""
        start.muted = self.starts_muted or self.resends_muted
        if self._config is not None:
            start.config.CopyFrom(self._config)
        if self.session_id:  # The first session begins with the voice of its start.
            start.ClearField("voiceprint")
            if self._voiceprint is not None:
                start.voiceprint.CopyFrom(self._voiceprint)
            start.enroll_voice = self._enrolls
            start.session_id = self.session_id

    def began(self, start: api.Start, started: api.Started) -> None:
        """Records a session that began, or goes on."""
        self.session_id = started.session.removeprefix("sessions/")
        self._is_muted = started.mute.muted
        if started.HasField("resumed"):
            self.config_changed(started.config)
            return
        self._voiceprint = start.voiceprint if start.HasField("voiceprint") else None
        self._enrolls = start.enroll_voice
        self._config, self._resolved = start.config, started.config
        if self._wanted == self._is_muted:
            self._wanted = None

    # Mute.

    @property
    def is_muted(self) -> bool:
        """Whether the session is muted, or is asked to be. Without a session, whether the next one begins muted."""
        return self.starts_muted or (self.is_connected and self._is_muted)

    @property
    def is_muting(self) -> bool:
        """Whether the session is asked to be muted, and has not answered yet."""
        return self._wanted is True

    @property
    def wanted_mute(self) -> bool | None:
        """The state that the session is asked for. None without a request that waits for its answer."""
        return self._wanted

    @property
    def starts_muted(self) -> bool:
        """Whether a new session begins muted."""
        return self._is_muted if self._wanted is None else self._wanted

    @property
    def requests(self) -> int:
        """The number of the last request."""
        return self._requests

    def add_request(self) -> int:
        """Records a request for a later sample, which changes nothing yet. Returns its number."""
        self._requests += 1
        return self._requests

    def want_mute(self, muted: bool, number: int | None = None) -> int:
        """Records that a state is wanted from now on, by a new request or by that with a number. Returns the number."""
        self._wanted = muted
        self._wanted_by = self.add_request() if number is None else number
        return self._wanted_by

    def mute_answered(self, number: int, muted: bool | None) -> None:
        """Records the answer to a request. None: the session has refused it."""
        if muted is not None:
            self._is_muted = muted
        if number == self._wanted_by:
            self._wanted = None

    def mute_changed(self, muted: bool) -> None:
        """Records a change by any client."""
        self._is_muted = muted

    # The voice that isolation keeps.

    @property
    def voiceprint(self) -> bytes:
        """The voice that is kept. Empty: the nearest one."""
        return b"" if self._voiceprint is None else self._voiceprint.SerializeToString()

    @property
    def is_enrolling(self) -> bool:
        """Whether the next session learns a voice."""
        return self._enrolls

    def voice_is(self, voiceprint: api.Voiceprint | None) -> None:
        """Records the voice that is kept from now on, None for the nearest. Ends an enrollment."""
        self._voiceprint, self._enrolls = voiceprint, False

    def forget_voiceprint(self) -> None:
        """Records that a server has refused the voice. An enrollment goes on."""
        self._voiceprint = None

    def enrolls(self, is_enrolling: bool) -> None:
        """Records that a voice is being learnt, or that this has failed."""
        self._enrolls = is_enrolling

    # Permissions and settings.

    def decided(self, client: str, grant: bool) -> None:
        """Records whether a client may inject speech."""
        self.permissions.pop(client, None)
        self.permissions[client] = grant
        if len(self.permissions) > _MOST_PERMISSIONS:
            del self.permissions[next(iter(self.permissions))]

    def configured(self, update: api.ConfigUpdate) -> None:
        """Records settings that this client has changed."""
        if self._config is None:
            return
        for path in update.update_mask.paths:
            _copy_field(update.config, self._config, path.split("."))
        self._resolved = None  # The event that follows says the same.

    def forget_settings(self) -> None:
        """Makes the next session begin with the settings of its start: a server has refused others."""
        self._config = self._resolved = None

    def config_changed(self, config: config_pb2.SessionConfig) -> None:
        """Records the settings of an event, which any client may have changed.

        Events contain all stages of the processing. A stage that nobody has set is left out here, so that it follows
        the mic mode in the new session, too.
        """
        before, kept = self._resolved, config_pb2.SessionConfig()
        kept.CopyFrom(config)
        for stage in _STAGES:
            was_set = self._config is not None and self._config.voice_processing.HasField(stage)
            is_changed = (
                before is not None and before.preferred_mic_mode == config.preferred_mic_mode
                and getattr(before.voice_processing, stage) != getattr(config.voice_processing, stage)
            )
            if not (was_set or is_changed):
                kept.voice_processing.ClearField(stage)
        self._config, self._resolved = kept, config


def _copy_field(source: Any, target: Any, path: list[str]) -> None:
    """Copies a field of a message, or clears it if the source does not have it.

    >>> source, target = config_pb2.SessionConfig(), config_pb2.SessionConfig()
    >>> source.mute.chime_disabled = target.mute.reject_gesture_on_timeout = True
    >>> _copy_field(source, target, ["mute", "chime_disabled"])
    >>> _copy_field(source, target, ["mute", "reject_gesture_on_timeout"])
    >>> target.mute.chime_disabled, target.mute.reject_gesture_on_timeout
    (True, False)
    """
    *parents, name = path
    for parent in parents:
        source, target = getattr(source, parent), getattr(target, parent)
    target.ClearField(name)
    part = type(source)()
    part.CopyFrom(source)
    for field, _ in part.ListFields():
        if field.name != name:
            part.ClearField(field.name)
    target.MergeFrom(part)
