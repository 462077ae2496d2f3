"""Figures of turns, of events that are made by hand."""
import collections
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

from quality.turn_figures import best, ends, outcome  # noqa: E402

Event = collections.namedtuple("Event", "kind at reported")
SPANS = [(0, 4), (7, 9)]


def test_an_end_within_a_turn_is_early_and_the_first_one_after_it_counts():
    events = [Event("turnEnded", 2, 2.3), Event("turnStarted", 2.5, 2.6), Event("turnEnded", 4, 4.4),
              Event("turnEnded", 9, 9.2), Event("turnEnded", 9, 9.9)]
    found = ends(events, SPANS, 3)
    assert [early for early, _ in found] == [[pytest.approx(0.3)], []]
    assert [late for _, late in found] == [pytest.approx(0.4), pytest.approx(0.2)]


def test_an_end_that_is_not_reported_comes_with_the_longest_pause():
    assert outcome([([], None), ([], 0.2)], [[], []], 2.0) == (0, pytest.approx(1.1))


def test_a_pause_longer_than_the_longest_one_cuts_the_turn_off():
    assert outcome([([], 0.2), ([], 0.2)], [[0.5], [0.9]], 0.6) == (0.5, pytest.approx(0.2))


def test_an_early_end_counts_only_if_the_longest_pause_did_not_come_before_it():
    assert outcome([([0.4], 0.4)], [[]], 0.3) == (0, pytest.approx(0.3))
    assert outcome([([0.4], 0.4)], [[]], 0.5) == (1, pytest.approx(0.4))


def test_the_best_setting_counts():
    figures = best([(0.2, 0.25), (0.1, 0.5), (0.04, 0.9)])
    assert figures == {"cut_at_300": 0.2, "cut_at_600": 0.1, "delay_at_5": 0.9, "delay_at_10": 0.5}
