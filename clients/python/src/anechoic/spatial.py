"""Spatial audio: far ends with names, and the places where they are heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, TypeVar

from ._checks import check_mapping, check_real, check_text
from .v1 import config_pb2

T = TypeVar("T")
_PREFIX = "far_ends."


@dataclass(frozen=True)
class Source:
    """The place of a far end, for the setting `spatial_audio.sources`, which is a list of these.

    - far_end: The name of the far end.
    - azimuth: Degrees, -360 to 360. 0 is straight ahead, 90 is to the left.
    - elevation: Degrees, -90 to 90. 90 is straight up.
    - distance: Meters, 0.1 to 100. The level falls by 6 dB with twice the distance.
    - gain_db: -60 to 12.
    """

    far_end: str
    azimuth: float = 0.0
    elevation: float = 0.0
    distance: float = 1.0
    gain_db: float = 0.0

    def _message(self) -> config_pb2.SpatialAudio.Source:
        """Returns the place as a message. Throws `InvalidRequest` for what is no number: the server checks ranges."""
        check_text("far_end", self.far_end)
        for name in ("azimuth", "elevation", "distance", "gain_db"):
            check_real(name, getattr(self, name))
        return config_pb2.SpatialAudio.Source(
            far_end_id=self.far_end, azimuth_degrees=self.azimuth, elevation_degrees=self.elevation,
            distance_meters=self.distance, gain_db=self.gain_db,
        )


def named(far_ends: Mapping[str, T] | None) -> dict[str, T]:
    """Returns what belongs to far ends, by the names of their inputs.

    >>> named({"alice": 1})
    {'far_ends.alice': 1}
    """
    given = check_mapping("far_ends", far_ends)
    for name in given:
        check_text("far_ends", str(name))
    return {f"{_PREFIX}{name}": value for name, value in given.items()}


def far_end_of(name: str) -> str | None:
    """Returns the far end of an input, or None if it is another input.

    >>> far_end_of("far_ends.alice"), far_end_of("far_end")
    ('alice', None)
    """
    return name[len(_PREFIX):] if name.startswith(_PREFIX) else None
