"""Callbacks of blocking sessions, which may use the session. Each program is a process that can be ended."""

import pytest
from test_processes import program

CALL = """
import contextlib
from datetime import timedelta

@contextlib.contextmanager
def call(**options):
    settings = {"mute.gesture_decision_timeout": timedelta(seconds=20)}
    with anechoic.blocking.Session(server, microphone=MONO, settings=settings, **options) as session:
        done = threading.Event()
        def talk():
            while not done.wait(0.02):
                session.feed(silence[:320])
        talking = threading.Thread(target=talk)
        talking.start()
        session.read(3200)
        try:
            yield session
        finally:
            done.set()
            talking.join()

def gesture(session):
    with anechoic.blocking.Sessions(server) as sessions:
        return sessions.gesture(session.id).outcome.name
"""


def run(text, server):
    lines, errors = program(CALL + text, server)
    print(errors)  # Which pytest shows if the test fails. grpc may write some, too, with several loops in a process.
    return lines


def test_a_gesture_callback_may_use_the_session(server):
    lines = run("""
def decide(request):
    session.mute()
    session.configure({"mute.chime_disabled": True})
    return session.is_muted and len(session.read(160)) == 160

with call(on_mute_gesture=decide) as session:
    print(gesture(session))
""", server)
    assert lines == ["APPLIED"]


def test_a_permission_callback_may_use_the_session(server):
    lines = run("""
def permit(request):
    return session.mute() > 0

with call(on_injection_permission=permit) as session:
    with anechoic.blocking.Sessions(server, client="bot") as sessions:
        print(sessions.ask_to_inject(session.id, "the time").name)
""", server)
    assert lines == ["GRANTED"]


def test_a_callback_that_waits_for_a_person_holds_up_nobody(server):
    lines = run("""
answer = threading.Event()

def permit(request):
    return answer.wait(20)

with call(on_injection_permission=permit, on_mute_gesture=lambda _: answer.set() or True) as session:
    with anechoic.blocking.Sessions(server, client="bot") as sessions:
        asking = threading.Thread(target=lambda: print(sessions.ask_to_inject(session.id, "the time").name))
        asking.start()
        print(gesture(session))
        asking.join()
""", server)
    assert sorted(lines) == ["APPLIED", "GRANTED"]


@pytest.mark.parametrize("body", ["next(iter(()))", "sys.exit(3)", "1 / 0"])
def test_a_callback_that_fails_says_no(server, body):
    lines = run(f"""
def decide(request):
    {body}

with call(on_mute_gesture=decide) as session:
    print(gesture(session), gesture(session))
""", server)
    assert lines == ["REJECTED REJECTED"]


def test_a_coroutine_that_uses_the_session_is_told_that_it_cannot(server):
    lines = run("""
async def decide(request):
    try:
        session.mute()
    except anechoic.Refused as error:
        print(error.reason)
    return True

with call(on_mute_gesture=decide) as session:
    print(gesture(session))
""", server)
    assert lines == ["IN_EVENT_LOOP", "APPLIED"]


def test_a_program_ends_while_a_callback_waits(server):
    lines = run("""
asked = threading.Event()

def decide(request):
    asked.set()
    time.sleep(3600)

def ask():
    with contextlib.suppress(anechoic.AnechoicError):  # The session ends before its answer.
        gesture(session)

with call(on_mute_gesture=decide) as session:
    threading.Thread(target=ask, daemon=True).start()
    print(asked.wait(20))
""", server)
    assert lines == ["True"]
