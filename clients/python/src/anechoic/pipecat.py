"""Echo cancellation, noise suppression and voice detection for Pipecat.

    voice = AnechoicFilter("127.0.0.1:50051")
    params = TransportParams(
        audio_in_enabled=True, audio_in_filter=voice,
        audio_out_enabled=True, audio_out_filter=voice.reference,
    )
    vad_analyzer = AnechoicVADAnalyzer(voice)

Needs `pip install anechoic[pipecat]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from pipecat.audio.filters.base_audio_filter import BaseAudioFilter
from pipecat.audio.vad.vad_analyzer import VADAnalyzer, VADParams
from pipecat.frames.frames import FilterControlFrame, FilterEnableFrame

from .formats import Format
from .live import LiveFilter, usable_format
from .session import Server

_LOUD_WITHOUT_SERVER = 0.02
"""The level above which audio counts as voice while there is no session. Full scale is 1."""


class AnechoicFilter(BaseAudioFilter):
    """The input filter. It returns as many bytes as it gets, some 70 ms later.

    A `FilterEnableFrame` switches it off and on. Without a server, raw audio passes.
    """

    def __init__(self, server: Server = "127.0.0.1:50051", **options: Any) -> None:
        """`options` are those of `anechoic.LiveFilter` and `anechoic.Session`."""
        self.live = LiveFilter(server, **options)
        self.reference = AnechoicReferenceFilter(self.live)
        """The output filter. It changes nothing, and takes what the bot says as the reference."""
        self._format: Format | None = None

    async def start(self, sample_rate: int) -> None:
        """Sets the rate. The session starts with the first audio."""
        self._format = usable_format(sample_rate)

    async def stop(self) -> None:
        """Ends the session."""
        await self.live.close()

    async def process_frame(self, frame: FilterControlFrame) -> None:
        """Switches the filter off or on."""
        if isinstance(frame, FilterEnableFrame):
            self.live.is_enabled = frame.enable

    async def filter(self, audio: bytes) -> bytes:
        """Returns as many bytes of the voice."""
        return audio if self._format is None else self.live.exchange(audio, self._format)


class AnechoicReferenceFilter(BaseAudioFilter):
    """The output filter of an `AnechoicFilter`. It returns the audio unchanged."""

    def __init__(self, live: LiveFilter) -> None:
        self._live = live
        self._format: Format | None = None

    async def start(self, sample_rate: int) -> None:
        """Announces the rate of the reference."""
        self._format = usable_format(sample_rate)
        if self._format is not None:
            self._live.announce_reference(self._format)

    async def stop(self) -> None:
        """Does nothing: the input filter ends the session."""

    async def process_frame(self, frame: FilterControlFrame) -> None:
        """Does nothing."""

    async def filter(self, audio: bytes) -> bytes:
        """Takes the reference, and returns it."""
        if self._format is not None:
            self._live.play(audio, self._format)
        return audio


class AnechoicVADAnalyzer(VADAnalyzer):
    """Voice activity as the server has found it, in which the bot's echo does not count.

    Give it the audio of the `AnechoicFilter`. While there is no session, loud audio counts as voice.
    """

    def __init__(self, filter: AnechoicFilter, *, params: VADParams | None = None) -> None:
        """Without `params`, `min_volume` is 0: the server has judged the level already."""
        super().__init__(params=params or VADParams(min_volume=0.0))
        self._live = filter.live

    def num_frames_required(self) -> int:
        """Returns the samples of 10 ms."""
        return self.sample_rate // 100

    def voice_confidence(self, buffer: bytes) -> float:
        """Returns 1 for voice, and otherwise 0."""
        voice = self._live.voice
        try:
            result = voice.results.popleft() if voice is not None else None
        except IndexError:
            result = None
        if result is not None:
            return 1.0 if result.voice else 0.0
        samples = np.frombuffer(buffer, np.int16).astype(np.float32) / 32768
        return 1.0 if np.sqrt(np.mean(samples**2)) > _LOUD_WITHOUT_SERVER else 0.0
