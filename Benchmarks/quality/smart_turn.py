"""Smart Turn v3 of Daily, the model that pipecat-ai carries, on the same turns."""
import numpy

from .signals import RATE

HOP = RATE // 100
HEARD = 0.2  # the silence in s after which Pipecat asks the model
LIKELY = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99)
TIME_OUTS = numpy.arange(0.3, 3.01, 0.1)


def outcomes(voices, pauses, outcome):
    """The outcomes of all settings: the probability of an end, and the silence that ends a turn without it."""
    from pipecat.audio.turn.smart_turn.local_smart_turn_v3 import LocalSmartTurnAnalyzerV3

    model = LocalSmartTurnAnalyzerV3(sample_rate=RATE)
    model.set_sample_rate(RATE)
    found = [_probabilities(model, voice) for voice in voices]
    made = []
    for likely in LIKELY:
        ends = [([HEARD for probability in within if probability > likely], HEARD if last > likely else None)
                for within, last in found]
        made += [outcome(ends, pauses, longest) for longest in TIME_OUTS]
    return made


def _probabilities(model, voice):
    """The probability of an end after 0.2 s of each pause, and of the silence after the turn."""
    random = numpy.random.default_rng(3)
    sound = numpy.concatenate([voice.samples, voice.silence(random, RATE)]).astype(numpy.float32)

    def asked(frame):
        return float(model._predict_endpoint(sound[:int(frame * HOP + HEARD * RATE)])["probability"])

    within = [asked(start) for start, stop in voice.gaps(8) if (stop - start) * HOP >= HEARD * RATE]
    return within, asked(len(voice.active))
