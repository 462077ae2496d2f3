"""Checks deploy/envoy/envoy.yaml against Envoy's own messages: every field and type must exist.

    python3 -m venv venv && venv/bin/pip install xds-protos pyyaml
    venv/bin/python Tests/System/Fleet/check_envoy.py

It does not check what Envoy makes of the values. Only `envoy --mode validate` does.
"""

import importlib
from pathlib import Path

import yaml
from envoy.config.bootstrap.v3 import bootstrap_pb2
from google.protobuf import json_format

EXTENSIONS = "envoy.extensions."
TYPES = [
    "filters.network.http_connection_manager.v3.http_connection_manager_pb2",
    "filters.http.router.v3.router_pb2",
    "upstreams.http.v3.http_protocol_options_pb2",
]


def main():
    for name in TYPES:
        importlib.import_module(EXTENSIONS + name)
    path = Path(__file__).parents[3] / "deploy/envoy/envoy.yaml"
    json_format.ParseDict(yaml.safe_load(path.read_text()), bootstrap_pb2.Bootstrap())
    print(f"{path.name} consists of Envoy's messages and fields")


if __name__ == "__main__":
    main()
