"""Shows and controls the sessions of an Anechoic server from a second connection."""

import argparse
import sys
from pathlib import Path

import grpc
from google.protobuf import json_format

GENERATED = Path(__file__).parent / "generated"
if not GENERATED.is_dir():
    sys.exit(f"error: {GENERATED} is missing; run examples/python/generate first")
sys.path.insert(0, str(GENERATED))
from anechoic.v1 import sessions_pb2 as api, sessions_pb2_grpc

PAGE_SIZE = 100


def list_sessions(service, metadata):
    """Prints one line for each session, page by page."""
    request = api.ListSessionsRequest(page_size=PAGE_SIZE)
    while True:
        page = service.ListSessions(request, metadata=metadata)
        for session in page.sessions:
            print(f"{session.name}  {mute_state(session.mute)}, of {session.owner}")
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def set_mute(service, metadata, name, muted):
    """Mutes or unmutes a session, unless somebody else does so between the two calls."""
    session = service.GetSession(api.GetSessionRequest(name=name), metadata=metadata).session
    request = api.SetMuteRequest(name=name, muted=muted, if_generation=session.mute.generation)
    print(mute_state(service.SetMute(request, metadata=metadata).state))


def watch(service, metadata, name):
    """Prints the state of the session, and then a line for each event until it ends."""
    for response in service.WatchSession(api.WatchSessionRequest(name=name), metadata=metadata):
        if response.HasField("snapshot"):
            print(f"{response.snapshot.name}  {mute_state(response.snapshot.mute)}", flush=True)
        elif response.HasField("event"):
            event = response.event
            kind = event.WhichOneof("event")
            details = json_format.MessageToDict(getattr(event, kind))
            sample = event.microphone_sample
            print(f"#{event.event_id} at sample {sample}: {kind} {details}", flush=True)


def mute_state(state):
    """Returns who muted or unmuted last, and how often the state has changed."""
    what = "muted" if state.muted else "live"
    return f"{what} by {state.actor}, generation {state.generation}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, metavar="HOST:PORT")
    parser.add_argument("--client", default="steer.py", metavar="NAME", help="the name of this client")
    parser.add_argument("command", choices=("list", "mute", "unmute", "watch"))
    parser.add_argument("session", nargs="?", metavar="ID", help="the session; not needed for list")
    options = parser.parse_args()
    if options.command != "list" and not options.session:
        parser.error(f"{options.command} needs the id of a session")
    name = f"sessions/{options.session}"
    metadata = [("anechoic-client", options.client)]
    if options.session:
        # A proxy in front of several servers sends all calls about one session to the same server.
        metadata.append(("anechoic-session", options.session))
    try:
        with grpc.insecure_channel(options.server) as channel:
            service = sessions_pb2_grpc.SessionServiceStub(channel)
            if options.command == "list":
                list_sessions(service, metadata)
            elif options.command == "watch":
                watch(service, metadata, name)
            else:
                set_mute(service, metadata, name, muted=options.command == "mute")
    except KeyboardInterrupt:
        parser.exit(130)
    except grpc.RpcError as error:
        parser.exit(2, f"error: {error.code().name}: {error.details()}\n")


if __name__ == "__main__":
    main()
