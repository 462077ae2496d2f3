"""The public names of the Python package `anechoic`, with what a program may rely on.

Run with a file, writes them there as JSON; with --compare, tells what a program that was written for the stored names can
no longer rely on. A parameter with a default may be added. Names that begin with an underscore are left out, and so are
`anechoic.pipecat` and `anechoic.livekit`, which need packages of PyPI.
"""

import enum
import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[3]
LEFT_OUT = {"livekit", "pipecat", "rpc", "v1"}


def parameters(function):
    """The parameters of a function: name, kind, and whether there is a default. None if Python does not know them."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        [each.name, each.kind.name, each.default is not each.empty] for each in found if is_public(each.name)]


def is_public(name):
    return not name.startswith("_") or name in ("__init__", "__aenter__", "__aiter__", "__enter__", "__iter__")


def members(owner):
    """The public members of a class, with those of its base classes in this package."""
    names = {}
    for base in reversed(inspect.getmro(owner)):
        if base.__module__.startswith("anechoic"):
            names.update(vars(base))
            names.update(dict.fromkeys(getattr(base, "__annotations__", {})))
    return {name: value for name, value in names.items() if is_public(name)}


def describe(place, value, found):
    """Notes a value and, of a class, its members."""
    if inspect.isclass(value):
        found[place] = {"kind": "class", "bases": [base.__name__ for base in inspect.getmro(value)[1:-1]
                                                   if not base.__name__.startswith("_")]}
        if issubclass(value, enum.Enum):
            found.update({f"{place}.{each}": {"kind": "value"} for each in value.__members__})
            return
        for name, member in members(value).items():
            function = getattr(value, name, None)
            # The package makes events, so a program may not call their initializers.
            if name == "__init__" and "Event" in found[place]["bases"]:
                continue
            if inspect.isroutine(function):
                found[f"{place}.{name}"] = {
                    "kind": "function", "asynchronous": inspect.iscoroutinefunction(function),
                    "parameters": parameters(function)}
            elif not inspect.isclass(member):
                found[f"{place}.{name}"] = {"kind": "attribute"}
    elif inspect.isroutine(value):
        found[place] = {"kind": "function", "asynchronous": inspect.iscoroutinefunction(value),
                        "parameters": parameters(value)}
    else:
        found[place] = {"kind": "attribute"}


def interface():
    """What a program may rely on, by name."""
    sys.path.insert(0, str(PACKAGE / "clients/python/src"))
    package = importlib.import_module("anechoic")
    found = {}
    modules = [package] + [
        importlib.import_module(f"anechoic.{each.name}") for each in pkgutil.iter_modules(package.__path__)
        if not each.name.startswith("_") and each.name not in LEFT_OUT]
    for module in modules:
        for name, value in vars(module).items():
            listed = name in module.__all__ if hasattr(module, "__all__") else (
                is_public(name) and getattr(value, "__module__", None) == module.__name__)
            if listed and not inspect.ismodule(value):
                describe(f"{module.__name__}.{name}", value, found)
    return found


def changed_parameters(before, now):
    """Why calls with the earlier parameters fail, or None."""
    if before is None or now is None:
        return None
    names = [name for name, _, _ in now]
    for index, (name, kind, has_default) in enumerate(before):
        # The keywords of `**options` were those of the function that gets them, which is looked at by itself.
        if name not in names and kind == "VAR_KEYWORD":
            continue
        if name not in names:
            return f"has no parameter {name}"
        _, kind_now, has_default_now = now[names.index(name)]
        if kind != kind_now and kind_now != "POSITIONAL_OR_KEYWORD":
            return f"takes the parameter {name} in another way"
        if has_default and not has_default_now:
            return f"needs the parameter {name}"
        if kind.startswith("POSITIONAL") and names.index(name) != index:
            return f"has the parameter {name} in another place"
    old = {name for name, _, _ in before}
    for name, kind, has_default in now:
        if name not in old and not has_default and not kind.startswith("VAR"):
            return f"needs the parameter {name}"
    return None


def breaks(before, now):
    """What a program can no longer rely on."""
    problems = []
    for name, promise in before.items():
        if name not in now:
            problems.append(f"{name} is gone")
            continue
        present = now[name]
        if promise["kind"] != present["kind"]:
            problems.append(f"{name} is no {promise['kind']}")
        elif promise["kind"] == "class":
            problems += [f"{name} is no {base}" for base in promise["bases"] if base not in present["bases"]]
        elif promise["kind"] == "function":
            if promise["asynchronous"] != present["asynchronous"]:
                problems.append(f"{name} is called with await, or without, unlike before")
            problem = changed_parameters(promise["parameters"], present["parameters"])
            problems += [f"{name} {problem}"] if problem else []
    return problems


def main():
    path = Path(sys.argv[-1])
    if "--compare" not in sys.argv:
        lines = (f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(interface().items()))
        path.write_text("{\n" + ",\n".join(lines) + "\n}\n")
        return
    problems = breaks(json.loads(path.read_text()), interface())
    for problem in problems:
        print(f"test compatibility: {problem}", file=sys.stderr)
    sys.exit(2 if problems else 0)


if __name__ == "__main__":
    main()
