"""Renders the manifests and the chart of deploy/, and reads the objects in them."""

import json
import subprocess
import tempfile
from pathlib import Path

import helm_python
import jsonschema
import kubernetes_validate
import yaml

PACKAGE = Path(__file__).resolve().parents[3]
DEPLOY = PACKAGE / "deploy"
CHART = DEPLOY / "helm/anechoic"
# The oldest version that the manifests support, and the newest whose schema is known.
KUBERNETES_VERSIONS = ["1.27", "1.37"]


def kustomized(folder):
    """The objects of a kustomization."""
    rendered = subprocess.run(
        ["kubectl", "kustomize", str(folder)], capture_output=True, text=True, check=False)
    if rendered.returncode != 0:
        raise AssertionError(f"{folder}: {rendered.stderr}")
    return list(yaml.safe_load_all(rendered.stdout))


def overlay(name):
    return kustomized(DEPLOY / "kubernetes" / name)


def with_components(base, *components):
    """The objects of an overlay with components, as a kustomization of a user adds them."""
    # In deploy/, because kustomize accepts relative paths only.
    with tempfile.TemporaryDirectory(dir=DEPLOY / "kubernetes") as folder:
        own = {
            "apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
            "resources": [f"../{base}"],
            "components": [f"../components/{component}" for component in components],
        }
        (Path(folder) / "kustomization.yaml").write_text(yaml.safe_dump(own))
        return kustomized(folder)


def charted(values=None, name="anechoic"):
    """The objects of the chart."""
    with helm_python.Chart.load(CHART) as chart:
        rendered = chart.render(values or {}, name=name, namespace="voice")
    objects = []
    for template, text in sorted(rendered.items()):
        if not template.endswith("NOTES.txt"):
            objects += [each for each in yaml.safe_load_all(text) if each]
    return objects


def check(objects):
    """Checks objects against Kubernetes' schemas, strictly: unknown fields are errors."""
    for each in objects:
        if each["kind"] == "ServiceMonitor":
            schema = json.loads((Path(__file__).parent / "service-monitor.schema.json").read_text())
            jsonschema.validate(each, schema)
            continue
        for version in KUBERNETES_VERSIONS:
            kubernetes_validate.validate(each, version, strict=True)


def only(objects, kind, name=None):
    """The one object of a kind."""
    found = [
        each for each in objects
        if each["kind"] == kind and name in (None, each["metadata"]["name"])
    ]
    if len(found) != 1:
        raise AssertionError(f"{len(found)} objects of the kind {kind}")
    return found[0]


def server(objects):
    """The server's container."""
    containers = only(objects, "Deployment")["spec"]["template"]["spec"]["containers"]
    if len(containers) != 1:
        raise AssertionError(f"{len(containers)} containers")
    return containers[0]


def environment(objects):
    variables = server(objects)["env"]
    names = [each["name"] for each in variables]
    if len(names) != len(set(names)):
        raise AssertionError(f"a variable is set twice: {names}")
    return {each["name"]: each["value"] for each in variables}
