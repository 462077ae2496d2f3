"""The examples use names that the installed packages have."""

import ast
import importlib
import importlib.util

import pytest
from conftest import PROJECT

VENDORS = ("pipecat.services.", "pipecat.runner.", "dotenv")
"""Modules that need packages of vendors, and a web server."""


@pytest.mark.parametrize("path", ["pipecat/bot.py", "livekit/agent.py"])
def test_every_import_of_an_example_exists(path):
    tree = ast.parse((PROJECT / "examples" / path).read_text())
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.module.startswith(VENDORS):
            module = importlib.import_module(node.module)
            assert all(hasattr(module, name.name) for name in node.names), ast.unparse(node)
            found += 1
        elif isinstance(node, ast.ImportFrom) and node.module.startswith("pipecat."):
            assert importlib.util.find_spec(node.module), node.module
    assert found >= 2


def test_the_livekit_example_builds_its_server():
    spec = importlib.util.spec_from_file_location("agent", PROJECT / "examples/livekit/agent.py")
    agent = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(agent)
    assert callable(agent.entrypoint)
