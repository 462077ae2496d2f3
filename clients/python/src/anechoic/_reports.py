"""The reports of playback, devices and the listener's head that wait to be sent. The module does no I/O."""

from __future__ import annotations

from collections import deque
from math import isfinite

from ._checks import check_flag
from ._start import Plan, field_named, pair_message
from .errors import InvalidRequest, Overloaded
from .events import AudioPort, AudioRoute
from .enums import InterruptionReason, PortType, RouteChangeReason
from .v1 import events_pb2, voice_processing_pb2 as api

_MOST_PLAYBACK = 64
_MOST_POSES = 64
_MOST_DEVICES = 20
_DEVICES_AT_ONCE, _DEVICES_PER_SECOND = 20, 10
"""The reports of devices that the server accepts: at once, and more for each second of audio."""


def nanoseconds(time: float, name: str) -> int:
    """Returns a time of `time.monotonic()` as the service counts it."""
    with field_named(name):
        count = round(time * 1e9)
        if not -(2**63) <= count < 2**63:
            raise ValueError("the time is out of range")
        return count


class Reports:
    """Keeps the newest reports of playback and of the head, which go out of date, and all reports of devices."""

    def __init__(self, plan: Plan) -> None:
        self._format = plan.playback
        self._microphone_rate = plan.inputs["microphone"].rate
        self._playback: deque[api.PlaybackReport] = deque(maxlen=_MOST_PLAYBACK)
        self._devices: deque[api.DeviceReport] = deque()
        self._poses: deque[api.HeadPose] = deque(maxlen=_MOST_POSES)
        self._route: api.DeviceReport | None = None
        self._interruption: api.DeviceReport | None = None
        self._lasting: dict[int, api.DeviceReport] = {}
        """The begins of the interruptions that last, by their reasons."""
        self._begun_at = 0
        self._devices_sent = 0

    def begin(self, sent: int) -> None:
        """Begins another call. `sent` is the index after the last sample of the microphone that was sent."""
        self._begun_at, self._devices_sent = sent, 0

    def refused(self) -> None:
        """Sends the last route and the last interruption again: the server took a report for one too many."""
        for report in (self._route, self._interruption):
            if report is not None and not any(_is_same_kind(each, report) for each in self._devices):
                self._devices.append(report)

    def add_pose(
        self, angles: tuple[float, float, float], quaternion: tuple[float, float, float, float] | None,
        time: float | None,
    ) -> None:
        pose = pose_message(angles, quaternion, time)
        self._poses.append(pose)

    def add_playback(
        self, arrived: int, first_sample: int, time: float, silence_samples: int, skipped_samples: int, rate_ppm: float
    ) -> None:
        if self._format is None:
            message = "playback: the session has no such output; announce it: Session(…, playback=Format(16000))"
            raise InvalidRequest(message, field="playback")
        report = api.PlaybackReport(device_time_ns=nanoseconds(time, "time"))
        values = {
            "first_sample": first_sample, "silence_samples": silence_samples, "skipped_samples": skipped_samples,
            "rate_ppm": rate_ppm,
        }
        for name, value in values.items():
            with field_named(name):
                setattr(report, name, value)
        if report.first_sample >= arrived:
            message = f"first_sample: sample {first_sample} of the playback has not arrived yet"
            raise InvalidRequest(message, field="first_sample")
        self._playback.append(report)

    def add_route(
        self, current: AudioRoute | None, reason: RouteChangeReason, previous: AudioRoute | None
    ) -> None:
        report = api.DeviceReport()
        change = report.route_changed
        with field_named("reason"):
            change.reason = RouteChangeReason(reason).value  # type: ignore[assignment]
        if current is not None:
            change.current.CopyFrom(_route(current, "current"))
        if previous is not None:
            change.previous.CopyFrom(_route(previous, "previous"))
        if len(self._devices) >= _MOST_DEVICES:  # The last route counts more than one before it.
            earlier = next((each for each in self._devices if _is_same_kind(each, report)), None)
            if earlier is not None:
                self._devices.remove(earlier)
        self._add(report)
        self._route = report

    def add_interruption(self, began: bool, reason: InterruptionReason, should_resume: bool) -> None:
        check_flag("began", began)
        check_flag("should_resume", should_resume)
        report = api.DeviceReport()
        report.interruption.began = bool(began)
        with field_named("reason"):
            report.interruption.reason = InterruptionReason(reason).value  # type: ignore[assignment]
        report.interruption.should_resume = bool(should_resume)
        self._add(report)
        self._interruption = report
        if report.interruption.began:
            self._lasting[report.interruption.reason] = report
        elif report.interruption.reason:
            self._lasting.pop(report.interruption.reason, None)
        else:
            self._lasting.clear()

    def next_message(self, base: int, sent: int) -> api.ProcessRequest | None:
        """Returns the next report. `base` is the microphone's index with which the present session began.

        `sent` is the index after the last sample of the microphone that was sent.
        """
        allowed = _DEVICES_AT_ONCE + (sent - self._begun_at) * _DEVICES_PER_SECOND // self._microphone_rate
        if self._devices and self._devices_sent < allowed:
            self._devices_sent += 1
            return api.ProcessRequest(device_report=self._devices.popleft())
        if self._poses:
            return api.ProcessRequest(head_pose=self._poses.popleft())
        while self._playback and self._format is not None:
            report = self._playback.popleft()
            report.first_sample -= base * self._format.rate // self._microphone_rate
            if report.first_sample >= 0:
                return api.ProcessRequest(playback_report=report)
        return None

    def restart(self) -> None:
        """Tells a new session the route and the interruptions that the one before it had."""
        for report in (self._route, *self._lasting.values()):
            if report is not None and report not in self._devices:
                self._devices.append(report)

    def _add(self, report: api.DeviceReport) -> None:
        if len(self._devices) >= _MOST_DEVICES:
            raise Overloaded(f"{_MOST_DEVICES} device reports wait to be sent", reason="TOO_MANY_REPORTS")
        self._devices.append(report)


def _is_same_kind(one: api.DeviceReport, other: api.DeviceReport) -> bool:
    return bool(one.WhichOneof("report") == other.WhichOneof("report"))


def _check_finite(message: api.HeadPose.Angles | api.HeadPose.Quaternion) -> None:
    if not all(isfinite(value) for _, value in message.ListFields()):
        raise ValueError("a number is not finite")


def pose_message(
    angles: tuple[float, float, float], quaternion: tuple[float, float, float, float] | None, time: float | None
) -> api.HeadPose:
    """Returns a pose of a head as a message."""
    pose = api.HeadPose()
    if time is not None:
        pose.device_time_ns = nanoseconds(time, "time")
    if quaternion is not None:
        with field_named("quaternion"):
            w, x, y, z = quaternion
            pose.quaternion.CopyFrom(api.HeadPose.Quaternion(w=w, x=x, y=y, z=z))
            _check_finite(pose.quaternion)
    else:
        with field_named("angles"):
            yaw, pitch, roll = angles
        pose.angles.SetInParent()
        for name, value in {"yaw": yaw, "pitch": pitch, "roll": roll}.items():
            with field_named(name):
                setattr(pose.angles, f"{name}_degrees", value)
                _check_finite(pose.angles)
    return pose


def _route(route: AudioRoute, name: str) -> events_pb2.AudioRoute:
    if not isinstance(route, AudioRoute):
        raise InvalidRequest(f"{name}: {route!r} is not a route; use an AudioRoute", field=name)
    message = events_pb2.AudioRoute()
    for side, port in (("input", route.input), ("output", route.output)):
        if port is not None:
            getattr(message, side).CopyFrom(_port(port, side))
    return message


def _port(port: AudioPort, name: str) -> events_pb2.AudioPort:
    if not isinstance(port, AudioPort):
        raise InvalidRequest(f"{name}: {port!r} is not a port; use an AudioPort", field=name)
    with field_named(name):
        message = events_pb2.AudioPort(
            port_id=port.port_id, display_name=port.display_name,
            type=PortType(port.type).value, headphones=port.headphones,  # type: ignore[arg-type]
        )
    if port.microphone_pair is not None:
        message.microphone_pair.CopyFrom(pair_message(port.microphone_pair))
    return message
