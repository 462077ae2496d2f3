"""The properties of a session."""

from __future__ import annotations

from ._link import Link
from ._start import seconds
from ._state import State
from .statistics import Statistics


class Facts:
    """The state of a `Session`."""

    _link: Link
    _state: State

    @property
    def id(self) -> str:
        """The id of the session. The same after a restart, unless another session has it by then."""
        return self._link.started.session.removeprefix("sessions/")

    @property
    def join_token(self) -> bytes:
        """The secret with which another device plays the playback. Empty unless `playback_elsewhere`."""
        return self._link.started.join_token

    @property
    def is_muted(self) -> bool:
        """Whether the session is muted, by any client, or is asked to be muted."""
        return self._state.is_muted

    @property
    def is_connected(self) -> bool:
        """Whether audio flows. False while the session resumes, and after its end."""
        return self._link.is_connected

    @property
    def statistics(self) -> Statistics | None:
        """The last statistics. None before the first ones."""
        return self._link.inbox.statistics

    @property
    def delay(self) -> float:
        """The seconds from the microphone to the processed output, the same for the whole session."""
        return seconds(self._link.started.algorithmic_delay)

    @property
    def recognizer_delay(self) -> float:
        """The seconds from the microphone to the output `recognizer`. 0 without this output."""
        return seconds(self._link.started.recognizer_delay)

    @property
    def raw_delay(self) -> float:
        """The seconds from the microphone to the output `raw`. 0 without this output."""
        return seconds(self._link.started.raw_delay)

    @property
    def echo_path(self) -> bytes:
        """The echo path that the session has learnt last, for `Session(echo_path=…)` on the same device.

        Empty before the first one, and unless the session was made with `learn_echo_path`.
        """
        return self._link.inbox.echo_path

    @property
    def is_echo_path_used(self) -> bool:
        """Whether the session began with the `echo_path` that it was given."""
        return self._link.started.echo_path_used

    @property
    def voiceprint(self) -> bytes:
        """The voiceprint that an enrollment of this session has learnt, for `Session(voiceprint=…)`. Empty before.

        It identifies a person: keep it as such.
        """
        return self._link.inbox.voiceprint

    @property
    def is_voiceprint_used(self) -> bool:
        """Whether the session began with the `voiceprint` that it was given."""
        return self._link.started.voiceprint_used

    @property
    def warnings(self) -> list[str]:
        """The arguments that have no effect, because the session lacks an input or output: each with the reason.

        They are in the log too. Empty before the start.
        """
        return [*self._link.started.warnings]

    @property
    def dropped_samples(self) -> int:
        """The samples that this side dropped: fed too fast or while the server was away, or never read."""
        return self._link.outbox.dropped_samples + self._link.inbox.output.dropped_samples

    @property
    def lost_samples(self) -> int:
        """The samples of the output that were lost, and replaced by silence."""
        return self._link.inbox.lost_samples

    @property
    def invalid_responses(self) -> int:
        """The responses of the server that made no sense, and were dropped. 0 for a server that works."""
        return self._link.inbox.invalid_responses
