"""Figures of the ends of turns: how many are found too early, and how late the others."""
import statistics


def ends(events, spans, tail):
    """For each turn, from its first to its last voice in s, the silences in s after which a session reported its end:
    those within it, and the last, up to `tail` after it or None."""
    found = []
    reported = [event for event in events if event.kind == "turnEnded"]
    for begin, end in spans:
        early = [event.reported - event.at for event in reported if begin < event.reported < end]
        late = [event.reported - end for event in reported if end <= event.reported < end + tail]
        found.append((early, late[0] if late else None))
    return found


def outcome(found, turns, longest):
    """The share of turns that are cut off, and the mean delay of their ends, if `longest` seconds also end them."""
    cut, delays = [], []
    for (early, late), pauses in zip(found, turns):
        cut.append(any(each <= longest for each in early) or any(pause > longest for pause in pauses))
        delays.append(min(longest, longest if late is None else late))
    return statistics.fmean(cut), statistics.fmean(delays)


def best(outcomes):
    """The figures at the best settings of a system: cut-offs at 300 and 600 ms, delays at 5 and 10 % cut-offs."""
    def cut(most):
        return min((share for share, delay in outcomes if delay <= most), default=None)

    def delay(most):
        return min((delay for share, delay in outcomes if share <= most), default=None)

    return {"cut_at_300": cut(0.3), "cut_at_600": cut(0.6), "delay_at_5": delay(0.05), "delay_at_10": delay(0.1)}
