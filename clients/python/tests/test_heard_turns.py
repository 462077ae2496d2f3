"""The turns of a person who is muted and unmuted, as a voice agent hears them."""

import anechoic
from anechoic import (
    Backchannel, MuteChanged, NotSpeech, Restarted, TurnContinued, TurnEnded, TurnInterruption, TurnStarted,
)
from anechoic._alignment import AlignedVoice
from anechoic._output import Frame
from anechoic._probability import VoiceProbability
from anechoic._turns import HeardTurns
from anechoic.events import MuteState

STARTED, INTERRUPTION = TurnStarted(0, 0.9, id=1), TurnInterruption(0, 0.9, id=2)
CONTINUED, ENDED = TurnContinued(0, id=3), TurnEnded(0, 0.9, id=4)
COUGH, MHM, RESTARTED = NotSpeech(0, 0.9, id=5), Backchannel(0, 0.9, id=6), Restarted(anechoic.SessionEnded(""))


class Ear:
    """What an agent hears of a person."""

    def __init__(self):
        self.live, self.heard = anechoic.LiveFilter("127.0.0.1:1"), []
        HeardTurns(self.live, self.heard.append)

    def hears(self, *events):
        """Returns what is heard of events. True and False are changes of the mute state."""
        self.heard.clear()
        for each in events:
            if isinstance(each, bool):
                self.live._state._is_muted = self.live._state.is_connected = each
                each = MuteChanged(MuteState(each), False, sample=160)
            self.live._tell(each)
        return [*self.heard]


def test_a_muted_person_has_no_turn():
    ear = Ear()
    everything = [STARTED, INTERRUPTION, CONTINUED, ENDED, COUGH, MHM]
    assert ear.hears(*everything) == everything
    assert ear.hears(True, *everything, False) == []
    assert ear.hears(*everything) == everything
    assert ear.hears(True, STARTED, RESTARTED, False) == []


def test_a_turn_that_goes_on_when_the_person_is_unmuted_begins_then():
    ear = Ear()
    assert ear.hears(True, STARTED, INTERRUPTION, CONTINUED, False) == [STARTED, INTERRUPTION]
    assert ear.hears(ENDED) == [ENDED]


def test_a_mute_ends_a_turn():
    ear = Ear()
    assert ear.hears(STARTED, True, CONTINUED, ENDED, False) == [STARTED, TurnEnded(160, 1.0, sample=160)]
    assert ear.hears(STARTED, True, False) == [STARTED, TurnEnded(160, 1.0, sample=160), STARTED]


def test_a_detector_finds_no_voice_in_muted_audio():
    live = anechoic.LiveFilter("127.0.0.1:1")
    live._voice = AlignedVoice(2, 16000, 0, True)
    live.voice.results.extend([Frame(0.9, True, True), Frame(0.9, True, False)])
    probability = VoiceProbability(live)
    assert [probability.next(bytes(320)) for _ in range(2)] == [0.0, 0.9]
