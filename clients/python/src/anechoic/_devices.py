"""The reports of a session about its devices."""

from __future__ import annotations

from typing import Tuple

from ._link import Link
from .enums import InterruptionReason, RouteChangeReason
from .events import AudioRoute


class DeviceReports:
    """The reports of a `Session`. None of them waits."""

    _link: Link

    def report_playback(
        self, first_sample: int, time: float, *, silence_samples: int = 0, skipped_samples: int = 0,
        rate_ppm: float = 0.0,
    ) -> None:
        """Reports when a sample of the playback was heard, in place of a reference. Does not wait.

        - first_sample: The index of the sample: `Output.first_playback_sample` is that of the first one.
        - time: The time of `time.monotonic()` at which it was heard.
        - silence_samples, skipped_samples: Samples that were inserted, or left out, before this one.
        - rate_ppm: How much faster than the device's clock it is played. For programs that correct drift.

        The newest 64 reports wait to be sent. The microphone needs its own times: see `feed`.
        """
        self._link.check()
        arrived = self._link.inbox.playback_position
        self._link.reports.add_playback(arrived, first_sample, time, silence_samples, skipped_samples, rate_ppm)
        self._link.wake()

    def report_route(
        self, current: AudioRoute | None, *, reason: RouteChangeReason = RouteChangeReason.NEW_DEVICE,
        previous: AudioRoute | None = None,
    ) -> None:
        """Reports another microphone or loudspeaker. Causes a `RouteChanged`. None: there is none that suits.

        `previous` counts only in the first report of a session.
        """
        self._link.check()
        why = RouteChangeReason.NO_SUITABLE_ROUTE if current is None else reason
        self._link.reports.add_route(current, why, previous)
        self._link.wake()

    def report_head_pose(
        self, *, yaw: float = 0.0, pitch: float = 0.0, roll: float = 0.0,
        quaternion: Tuple[float, float, float, float] | None = None, time: float | None = None,
    ) -> None:
        """Reports how the listener's head is turned, for spatial audio. The newest 64 reports wait to be sent.

        - yaw, pitch, roll: Degrees. The head turns left by yaw, then looks up by pitch, then tilts to the right.
        - quaternion: w, x, y and z, in place of the angles: x points ahead, y to the left, z up.
        - time: The time of `time.monotonic()` of the measurement. It needs the microphone's times: see `feed`.
        """
        self._link.check()
        self._link.reports.add_pose((yaw, pitch, roll), quaternion, time)
        self._link.wake()

    def report_interruption(
        self, began: bool, *, reason: InterruptionReason = InterruptionReason.UNSPECIFIED, should_resume: bool = False
    ) -> None:
        """Reports that the microphone stopped for a reason, or works again. Causes an `Interruption`.

        The begin needs a reason. An end without one ends all interruptions.
        """
        self._link.check()
        self._link.reports.add_interruption(began, reason, should_resume)
        self._link.wake()
