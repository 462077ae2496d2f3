"""Wrong options are refused at once, in one sentence that says what would be right."""

import asyncio
import math

import numpy as np
import pytest
from conftest import in_loop

import anechoic
from anechoic import Connection, Format, LiveFilter, Reconnect

MONO = Format(16000)
ADDRESS = "127.0.0.1:1"


@pytest.mark.parametrize("options, words", [
    ({"chunk": -1}, "chunk: -1 is not supported; use 0.01 to 0.12 s"),
    ({"chunk": float("nan")}, "chunk: nan is not supported"),
    ({"chunk": "20 ms"}, "chunk: '20 ms' is not supported"),
    ({"chunk": True}, "chunk: True is not supported"),
    ({"statistics_interval": -1}, "statistics_interval: -1 is not supported; use 0.1 to 3600 s, or 0"),
    ({"statistics_interval": 0.01}, "statistics_interval: 0.01 is not supported"),
    ({"resume_window": -5}, "resume_window: -5 is not supported"),
    ({"resume_window": math.inf}, "resume_window: inf is not supported"),
    ({"muted": "no"}, "muted: 'no' is not supported; use True or False"),
    ({"session_id": "no spaces"}, "session_id: 'no spaces' is not supported; use up to 63 of"),
    ({"session_id": "x" * 64}, "session_id"), ({"session_id": None}, "session_id: None is not a text"),
    ({"engine": 5}, "engine: 5 is not a text"),
    ({"labels": {"room": 5}}, "labels: 'room': 5 is not supported"), ({"labels": {"": "a"}}, "labels"),
    ({"labels": {str(number): "" for number in range(65)}}, "labels: 65 are too many; use up to 64"),
    ({"labels": "room"}, "labels: 'room' is not a mapping; use a dict"),
    ({"client": "ü"}, "client: the name must have"), ({"client": 5}, "client: the name must have"),
    ({"settings": [1]}, r"settings: \[1\] is not a mapping"), ({"settings": {"mute.colour": 1}}, "no such setting"),
    ({"playback": 48000}, "playback: 48000 is not a format; use Format"),
    ({"playback_elsewhere": True}, "playback_elsewhere: needs a playback, and no reference"),
    ({"playback_elsewhere": 1}, "playback_elsewhere: 1 is not supported; use True or False"),
    ({"reconnect": 5}, "reconnect: 5 is not a Reconnect"), ({"reconnect": None}, "reconnect: None is not a Reconnect"),
    ({"on_mute_gesture": True}, "on_mute_gesture: True cannot be called"),
    ({"on_injection_permission": "yes"}, "on_injection_permission: 'yes' cannot be called"),
])
def test_a_wrong_option_of_a_filter_or_session_is_refused_at_once(options, words):
    for make in (lambda: LiveFilter(ADDRESS, **options), lambda: anechoic.Session(ADDRESS, microphone=MONO, **options)):
        with pytest.raises(ValueError, match=words) as caught:
            make()
        assert isinstance(caught.value, anechoic.InvalidRequest) and "\n" not in str(caught.value)


@pytest.mark.parametrize("delay", [0, 0.049, 1.01, -1, float("nan"), float("inf"), "50 ms", None, [0.1]])
def test_a_delay_that_a_filter_cannot_have_is_refused_at_once(delay):
    with pytest.raises(anechoic.InvalidRequest, match="delay: .* is not supported; use 0.05 to 1 s"):
        LiveFilter(ADDRESS, delay=delay)


@pytest.mark.parametrize("options, words", [
    ({"microphone": MONO}, "LiveFilter has no option 'microphone'; use client, muted"),
    ({"real_time": False}, "real_time"), ({"processed": Format(48000)}, "processed"),
    ({"colour": 1}, "LiveFilter has no option 'colour'"),
    ({"intermittent_reference": True}, "intermittent_reference"), ({"_state": None}, "_state"),
])
def test_an_option_that_a_filter_does_not_have_is_refused_at_once(options, words):
    with pytest.raises(TypeError, match=words):
        LiveFilter(ADDRESS, **options)


@pytest.mark.parametrize("options", [{"other_audio": MONO}, {"far_ends": {"alice": MONO}}, {"far_ends": ["alice"]}])
def test_inputs_that_need_a_playback_are_refused_at_once(options):
    with pytest.raises(ValueError, match="needs a playback|not a mapping"):
        anechoic.Session(ADDRESS, microphone=MONO, **options)


@pytest.mark.parametrize("address", [
    "x", "x:y", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:99999", "127.0.0.1:-1", ":5", "a b:1", "[::1", "::1:5", "unix:",
    "http://127.0.0.1:50051", "127.0.0.1:50051/", "", "127.0.0.1:1\n", "voice.example:", "dns:a\nb", None, 5, b"a:1",
])
def test_an_address_that_cannot_be_one_is_refused_at_once(address):
    for make in (LiveFilter, Connection, anechoic.Sessions, lambda each: anechoic.Playback(each, b"token"),
                 lambda each: anechoic.Session(each, microphone=MONO)):
        with pytest.raises(ValueError, match="server: "):
            make(address)


@pytest.mark.parametrize("address", [
    "localhost:1", "[::1]:50051", "[fe80::1%eth0]:1", "unix:/run/a.sock", "unix:///run/a.sock", "dns:///a:1",
    "voice-1.example_x:65535",
])
def test_an_address_that_can_be_one_is_accepted(address):
    assert Connection(address).address == address


@pytest.mark.parametrize("options, words", [
    ({"token": "a b"}, "token: must be printable"), ({"token": 5}, "token: must be printable"),
    ({"token": "a", "token_file": "b"}, "token_file: give either"), ({"token_file": "/no/token"}, "No such file"),
    ({"token_file": "/"}, "Is a directory"), ({"token_file": 5}, "token_file: 5 is not a path"),
    ({"ca_file": "/no/ca.pem"}, "No such file"), ({"ca_file": __file__}, r"contains no certificate \(PEM\)"),
    ({"ca_file": 5}, "ca_file: 5 is not a path"), ({"certificate_file": "/dev/null"}, "both are needed"),
    ({"tls": "yes"}, "tls: 'yes' is not supported; use True or False"),
    ({"connect_timeout": -1}, "connect_timeout: -1"), ({"connect_timeout": math.inf}, "connect_timeout: inf"),
    ({"connect_timeout": "2 s"}, "connect_timeout: '2 s'"),
])
def test_a_wrong_option_of_a_connection_is_refused_at_once(options, words):
    with pytest.raises(ValueError, match=words):
        Connection(ADDRESS, **options)


@pytest.mark.parametrize("options", [
    {"shortest_delay": -1}, {"shortest_delay": 0}, {"shortest_delay": math.nan}, {"shortest_delay": "soon"},
    {"shortest_delay": 1e9}, {"longest_delay": 0.05}, {"longest_delay": math.inf}, {"longest_delay_later": -1},
    {"attempt_timeout": 0}, {"attempt_timeout": -2}, {"attempt_timeout": None}, {"loyalty": -1}, {"silence": 0},
    {"silence": math.inf}, {"longest_outage": -1}, {"longest_outage": math.nan}, {"longest_outage": -math.inf},
    {"shortest_delay": True},
])
def test_limits_without_sense_are_refused_at_once(options):
    with pytest.raises(ValueError, match="is not supported; use") as caught:
        Reconnect(**options)
    assert caught.value.field in options


def test_limits_with_sense_are_accepted():
    Reconnect(longest_outage=math.inf)
    Reconnect(longest_outage=0, loyalty=0, shortest_delay=np.float32(0.5), longest_delay=np.float64(2))


@in_loop
async def test_audio_that_is_none_is_refused_by_a_filter():
    live = LiveFilter(ADDRESS)
    for raw, format in ((b"ab", 16000), (b"ab", None), (np.zeros(320, np.int16), MONO), ("ab", MONO), (None, MONO)):
        with pytest.raises(anechoic.InvalidRequest, match="data: .* use bytes|format: .* use Format"):
            live.exchange(raw, format)
        with pytest.raises(anechoic.InvalidRequest, match="data: .* use bytes|format: .* use Format"):
            live.play(raw, format)
    for raw in (bytearray(640), memoryview(bytes(640)), b"", b"\1"):
        assert len(live.exchange(raw, MONO)) in (640, 0)
    await live.close()


@pytest.mark.parametrize("options", [
    {"bit_rate": "32k"}, {"bit_rate": 5}, {"bit_rate": -1}, {"bit_rate": 32000.5}, {"complexity": 11},
    {"complexity": "high"}, {"complexity": 1.5}, {"bit_rate": True}, {"bit_rate": ""}, {"bit_rate": None}, {"fec": 0},
])
def test_wrong_settings_of_opus_are_refused_at_once(options):
    for encoding in ("opus", "s16"):
        with pytest.raises(ValueError, match="is not supported; use|only for encoding='opus'"):
            Format(16000, encoding=encoding, **options)


@in_loop
async def test_requests_about_what_is_no_session_are_refused_at_once():
    async with anechoic.Sessions(ADDRESS) as sessions:
        for use in (sessions.get, sessions.mute, sessions.delete):
            with pytest.raises(ValueError, match="session: "):
                await use(5)
        for use, name in ((lambda: sessions.say("a", 5), "text"), (lambda: sessions.ask_to_inject("a", None), "usage"),
                          (lambda: sessions.play("a", np.zeros(5), 16000), "format"),
                          (lambda: sessions.gesture("a", muted="no"), "muted"),
                          (lambda: sessions.configure("a", 5), "settings"),
                          (lambda: sessions.label("a", {"b": 5}), "labels")):
            with pytest.raises(ValueError, match=f"{name}: "):
                await use()
        with pytest.raises(ValueError, match="from_event"):
            await anext(sessions.watch("a", from_event=-1))
        with pytest.raises(ValueError, match="statistics_interval"):
            await anext(sessions.watch("a", statistics_interval=-1))
    with pytest.raises(ValueError, match="token: must be bytes"):
        anechoic.Playback(ADDRESS, "token")
    playback = anechoic.Playback(ADDRESS, b"token")
    with pytest.raises(anechoic.Refused, match="has not joined"):
        playback.format
    await asyncio.wait_for(playback.close(), 1)
