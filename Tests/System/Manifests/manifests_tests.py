"""What the files of deploy/ promise."""

import copy
import functools
import json
import re
import subprocess
import unittest

import helm_python
import yaml
from deployments import (
    CHART, DEPLOY, PACKAGE, charted, check, environment, kustomized, only, overlay, server,
    with_components)

OPEN = {"authentication": {"mode": "none"}}
TLS = {**OPEN, "tls": {"secretName": "anechoic-tls"}}
CERTIFICATE = {**TLS, "authentication": {"mode": "certificate"}}
JWT = {
    **TLS,
    "authentication": {
        "mode": "jwt",
        "jwt": {
            "keysConfigMap": "anechoic-token-keys", "issuer": "https://login.example.com",
            "audience": "anechoic",
        },
    },
}
EVERYTHING = {**JWT, "autoscaling": {"enabled": True}, "serviceMonitor": {"enabled": True}}
# The overlays, and the values of the chart that mean the same.
VARIANTS = {
    "base": OPEN, "overlays/tls": TLS, "overlays/mtls": CERTIFICATE, "overlays/jwt": JWT,
}


@functools.cache
def rendered():
    variants = {}
    for name, values in VARIANTS.items():
        variants[name] = overlay(name)
        variants[f"the chart as {name}"] = charted(values)
    return variants


def every_variant():
    """Each variant with its objects, which a test may change."""
    return copy.deepcopy(rendered()).items()


class Manifests(unittest.TestCase):
    def test_overlays_and_chart_follow_the_schemas(self):
        for name, objects in every_variant():
            with self.subTest(name):
                check(objects)

    def test_components_follow_the_schemas(self):
        objects = with_components("overlays/tls", "monitoring", "autoscaling")
        check(objects)
        self.assertNotIn("replicas", only(objects, "Deployment")["spec"])
        check(charted(EVERYTHING))

    def test_the_component_https_means_the_same_as_the_chart(self):
        ours = with_components("overlays/tls", "monitoring", "https")
        theirs = charted({**TLS, "tls": {"secretName": "anechoic-tls", "http": True},
                          "serviceMonitor": {"enabled": True}})
        for objects in (ours, theirs):
            check(objects)
            self.assertIn("ANECHOIC_TLS_HTTP", environment(objects))
            self.assertEqual(server(objects)["livenessProbe"]["httpGet"]["scheme"], "HTTPS")
            endpoint = only(objects, "ServiceMonitor")["spec"]["endpoints"][0]
            self.assertEqual((endpoint["scheme"], endpoint["tlsConfig"]), ("https", {"insecureSkipVerify": True}))
        self.assertEqual(environment(ours), environment(theirs))
        # Without the monitoring, nothing is missing.
        check(with_components("overlays/jwt", "https"))

    def test_an_unknown_field_is_refused(self):
        objects = dict(every_variant())["base"]
        only(objects, "Deployment")["spec"]["replica"] = 2
        with self.assertRaisesRegex(Exception, "replica"):
            check(objects)

    def test_chart_and_overlays_run_the_same_container(self):
        variants = dict(every_variant())
        for name in VARIANTS:
            with self.subTest(name):
                kustomized_objects, charted_objects = variants[name], variants[f"the chart as {name}"]
                self.assertEqual(environment(kustomized_objects), environment(charted_objects))
                theirs, ours = server(kustomized_objects), server(charted_objects)
                for each in (theirs, ours):
                    for key in ("env", "image", "imagePullPolicy"):
                        each.pop(key, None)
                    each.get("volumeMounts", []).sort(key=lambda mount: mount["name"])
                self.assertEqual(theirs, ours)

    def test_pods_are_stopped_after_the_drain(self):
        for name, objects in every_variant():
            with self.subTest(name):
                grace = only(objects, "Deployment")["spec"]["template"]["spec"][
                    "terminationGracePeriodSeconds"]
                sleep = server(objects)["lifecycle"]["preStop"]["exec"]["command"]
                self.assertEqual(sleep[0], "sleep")
                drain = int(environment(objects)["ANECHOIC_DRAIN_TIME"])
                self.assertGreater(grace, drain + int(sleep[1]))
        longer = charted({**OPEN, "drainSeconds": 600})
        pod = only(longer, "Deployment")["spec"]["template"]["spec"]
        self.assertGreater(pod["terminationGracePeriodSeconds"], 605)

    def test_pods_have_no_privileges(self):
        for name, objects in every_variant():
            with self.subTest(name):
                pod = only(objects, "Deployment")["spec"]["template"]["spec"]
                self.assertTrue(pod["securityContext"]["runAsNonRoot"])
                self.assertFalse(pod["automountServiceAccountToken"])
                self.assertFalse(pod["enableServiceLinks"])
                self.assertEqual(
                    server(objects)["securityContext"],
                    {
                        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True,
                        "capabilities": {"drop": ["ALL"]},
                    })

    def test_probes_use_the_plaintext_listener(self):
        for name, objects in every_variant():
            with self.subTest(name):
                variables = environment(objects)
                for probe in ("startupProbe", "readinessProbe"):
                    port = server(objects)[probe]["grpc"]["port"]
                    self.assertEqual(variables["ANECHOIC_ADMIN_LISTEN"], f"0.0.0.0:{port}")
                alive = server(objects)["livenessProbe"]["httpGet"]
                self.assertEqual(alive["path"], "/livez")
                self.assertEqual(variables["ANECHOIC_HTTP_LISTEN"], f"0.0.0.0:{alive['port']}")

    def test_https_is_for_the_probe_and_prometheus_too(self):
        values = {**TLS, "tls": {"secretName": "anechoic-tls", "http": True}, "serviceMonitor": {"enabled": True}}
        objects = charted(values)
        check(objects)
        self.assertEqual(environment(objects)["ANECHOIC_TLS_HTTP"], "true")
        deployment = next(each for each in objects if each["kind"] == "Deployment")
        container = deployment["spec"]["template"]["spec"]["containers"][0]
        self.assertEqual(container["livenessProbe"]["httpGet"]["scheme"], "HTTPS")
        monitor = next(each for each in objects if each["kind"] == "ServiceMonitor")
        self.assertEqual(monitor["spec"]["endpoints"][0]["scheme"], "https")

    def test_services_select_the_pods_and_name_their_ports(self):
        for name, objects in every_variant():
            with self.subTest(name):
                labels = only(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]
                ports = {each["name"]: each["containerPort"] for each in server(objects)["ports"]}
                services = [each for each in objects if each["kind"] == "Service"]
                self.assertEqual(
                    sorted(each["spec"].get("clusterIP", "") for each in services), ["", "None"])
                for service in services:
                    self.assertLessEqual(service["spec"]["selector"].items(), labels.items())
                    for port in service["spec"]["ports"]:
                        self.assertEqual(ports[port["targetPort"]], port["port"])
                budget = only(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]
                self.assertLessEqual(budget.items(), labels.items())

    def test_a_service_with_tls_is_not_called_plaintext(self):
        for name, objects in every_variant():
            with self.subTest(name):
                has_tls = "ANECHOIC_TLS_KEY" in environment(objects)
                for service in (each for each in objects if each["kind"] == "Service"):
                    port = service["spec"]["ports"][0]
                    self.assertEqual("appProtocol" in port, not has_tls)

    def test_only_monitoring_and_a_proxy_reach_the_operators_port(self):
        allowed = {
            "matchExpressions": [{
                "key": "kubernetes.io/metadata.name", "operator": "In",
                "values": ["monitoring", "proxy"],
            }]
        }
        for name, objects in every_variant():
            with self.subTest(name):
                policy = only(objects, "NetworkPolicy")["spec"]
                self.assertEqual(policy["policyTypes"], ["Ingress", "Egress"])
                self.assertFalse(policy.get("egress"))
                self.assertEqual(
                    policy["ingress"],
                    [
                        {"ports": [{"port": "grpc"}]},
                        {
                            "from": [{"namespaceSelector": allowed}],
                            "ports": [{"port": "http-admin"}],
                        },
                    ])

    def test_prometheus_scrapes_the_pods_once(self):
        variants = {
            "components": with_components("base", "monitoring"), "the chart": charted(EVERYTHING)}
        for name, objects in variants.items():
            with self.subTest(name):
                monitor = only(objects, "ServiceMonitor")["spec"]
                wanted = monitor["selector"]["matchLabels"].items()
                chosen = [
                    each for each in objects
                    if each["kind"] == "Service" and wanted <= each["metadata"]["labels"].items()
                ]
                self.assertEqual([each["spec"].get("clusterIP") for each in chosen], ["None"])
                ports = {each["name"] for each in chosen[0]["spec"]["ports"]}
                self.assertLessEqual({each["port"] for each in monitor["endpoints"]}, ports)
                job = chosen[0]["metadata"]["labels"][monitor["jobLabel"]]
                alerts = (DEPLOY / "prometheus/alerts.yaml").read_text()
                self.assertEqual(set(re.findall(r'job="([^"]*)"', alerts)), {job})

    def test_the_autoscaler_uses_the_metric_of_the_adapter(self):
        values = DEPLOY / "kubernetes/components/autoscaling/adapter-values.yaml"
        rule = yaml.safe_load(values.read_text())["rules"]["custom"][0]
        for objects in (with_components("base", "autoscaling"), charted(EVERYTHING)):
            scaler = only(objects, "HorizontalPodAutoscaler")["spec"]
            self.assertEqual(scaler["metrics"][0]["pods"]["metric"]["name"], rule["name"]["as"])
            target = only(objects, "Deployment")
            self.assertEqual(scaler["scaleTargetRef"]["name"], target["metadata"]["name"])
            self.assertNotIn("replicas", target["spec"])

    def test_capacity_is_the_same_everywhere(self):
        scale = (PACKAGE / "docs/scale.md").read_text()

        def figure(name):
            return float(re.search(rf"^\| {re.escape(name)} \| ([0-9.]+) \|", scale, re.MULTILINE).group(1))

        sessions = figure("sessions of a core to plan with")
        for objects in (rendered()["base"], charted(OPEN)):
            container = server(objects)
            settings = {each["name"]: each.get("value") for each in container["env"]}
            cores = int(container["resources"]["requests"]["cpu"])
            self.assertEqual(settings["ANECHOIC_THREADS"], str(cores))
            self.assertEqual(settings["ANECHOIC_MAX_SESSIONS"], f"{cores * sessions:.0f}")
        target = figure("share of the capacity at which the autoscaler adds servers")
        for objects in (with_components("base", "autoscaling"), charted(EVERYTHING)):
            scaler = only(objects, "HorizontalPodAutoscaler")["spec"]
            self.assertEqual(scaler["metrics"][0]["pods"]["target"]["averageValue"], f"{target * 1000:.0f}m")
        full = figure("share of the capacity at which AnechoicFleetNearlyFull fires")
        rules = yaml.safe_load((DEPLOY / "prometheus/alerts.yaml").read_text())["groups"][0]["rules"]
        alert, = (rule for rule in rules if rule.get("alert") == "AnechoicFleetNearlyFull")
        self.assertEqual(alert["expr"], f"avg(anechoic_capacity_used_ratio) > {full:g}")
        self.assertIn(f"{target * 100:.0f} %", (PACKAGE / "docs/how-to/deploy.md").read_text())
        readme = (PACKAGE / "README.md").read_text()
        self.assertEqual(re.findall(r"(\d+) sessions in real time a core", readme), [f"{sessions:.0f}"])

    def test_versions_are_those_of_the_code(self):
        code = (PACKAGE / "clients/swift/AnechoicAPI/Version.swift").read_text()
        version = re.search(r'anechoicVersion = "(.*)"', code).group(1)
        chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
        self.assertEqual((chart["version"], chart["appVersion"]), (version, version))
        self.assertTrue(server(rendered()["base"])["image"].endswith(f":{version}"))

    def test_no_kustomization_is_forgotten(self):
        for file in sorted((DEPLOY / "kubernetes").rglob("kustomization.yaml")):
            with self.subTest(str(file)):
                if yaml.safe_load(file.read_text())["kind"] == "Kustomization":
                    kustomized(file.parent)


class Chart(unittest.TestCase):
    def test_has_no_warnings(self):
        report = helm_python.lint(CHART, strict=True)
        self.assertEqual(report["errors"], [])
        # An icon would be a picture on another host.
        found = [each["error"] for each in report["messages"] if each["severity"] > 1]
        self.assertEqual(found, [])

    def test_refuses_wrong_values(self):
        cases = {
            "authentication.mode": {}, "settingsFrom": {"settingsFrom": [{"secret": "a"}]},
            "needs one of": {"authentication": {"mode": "jwt", "jwt": {
                "issuer": "a", "keysConfigMap": "a", "keysSecret": "b"}}},
            "extraVolumes": {"extraVolumes": [{"name": "tls", "emptyDir": {}}]},
            "persistence": {"persistence": {"enabled": True, "size": "large"}},
            "replicas": {"replicas": 0}, "LISTEN": {"settings": {"LISTEN": "0.0.0.0:1"}},
            "unknown": {"unknown": 1}, "mode": {"authentication": {"mode": "password"}},
            "tls.secretName": {"authentication": {"mode": "certificate"}},
            "secretName": {**OPEN, "tls": {"http": True}},
            "keysConfigMap": {"authentication": {"mode": "jwt"}},
            "TLS_HTTP": {**TLS, "settings": {"TLS_HTTP": "true"}},
            "JWT_KEYS_URL": {**JWT, "settings": {"JWT_KEYS_URL": "https://a"}},
            "PROFILES_DIRECTORY": {
                **OPEN, "persistence": {"enabled": True}, "settings": {"PROFILES_DIRECTORY": "/a"}},
            "AUDIT_LOG": {
                **OPEN, "persistence": {"enabled": True, "auditLog": True}, "settings": {"AUDIT_LOG": "/a"}},
        }
        for expected, values in cases.items():
            with self.subTest(expected), self.assertRaisesRegex(Exception, expected):
                charted(values)

    def test_settings_name_files_where_persistence_does_not(self):
        settings = {"PROFILES_DIRECTORY": "/more/profiles", "AUDIT_LOG": "/more/audit.log"}
        for persistence in ({"enabled": False, "auditLog": True}, {"enabled": True, "profiles": False}):
            with self.subTest(persistence):
                objects = charted({**OPEN, "persistence": persistence, "settings": settings})
                pods = next(each for each in objects if each["kind"] in ("Deployment", "StatefulSet"))["spec"]
                variables = pods["template"]["spec"]["containers"][0]["env"]
                for name, value in settings.items():
                    found = [each["value"] for each in variables if each["name"] == f"ANECHOIC_{name}"]
                    self.assertEqual(found, [value])

    def test_persistence_gives_each_pod_a_claim_of_its_own(self):
        objects = charted({
            **EVERYTHING, "persistence": {"enabled": True, "size": "5Gi", "auditLog": True}})
        check(objects)
        pods = only(objects, "StatefulSet")["spec"]
        self.assertEqual([each["kind"] for each in objects if each["kind"] == "Deployment"], [])
        claim = pods["volumeClaimTemplates"][0]
        self.assertEqual(claim["spec"]["resources"]["requests"]["storage"], "5Gi")
        self.assertIn(pods["serviceName"], [
            each["metadata"]["name"] for each in objects
            if each["kind"] == "Service" and each["spec"].get("clusterIP") == "None"])
        container = pods["template"]["spec"]["containers"][0]
        mount = {each["name"]: each for each in container["volumeMounts"]}[claim["metadata"]["name"]]
        files = {each["name"]: each["value"] for each in container["env"]}
        for name in ("ANECHOIC_PROFILES_DIRECTORY", "ANECHOIC_AUDIT_LOG"):
            self.assertTrue(files[name].startswith(mount["mountPath"] + "/"), files[name])
        target = only(objects, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
        self.assertEqual(target["kind"], "StatefulSet")

    def test_volumes_secrets_and_an_account_can_be_given(self):
        objects = charted({
            **OPEN,
            "settingsFrom": [{"secretRef": {"name": "settings"}}],
            "extraVolumes": [{"name": "more", "secret": {"secretName": "more"}}],
            "extraVolumeMounts": [{"name": "more", "mountPath": "/more", "readOnly": True}],
            "serviceAccount": {"annotations": {"a/b": "c"}},
        })
        check(objects)
        account = only(objects, "ServiceAccount")
        self.assertFalse(account["automountServiceAccountToken"])
        self.assertEqual(account["metadata"]["annotations"], {"a/b": "c"})
        pod = only(objects, "Deployment")["spec"]["template"]["spec"]
        self.assertEqual(pod["serviceAccountName"], account["metadata"]["name"])
        self.assertEqual(pod["volumes"][0]["secret"]["secretName"], "more")
        self.assertEqual(server(objects)["envFrom"], [{"secretRef": {"name": "settings"}}])
        self.assertEqual(server(objects)["volumeMounts"][0]["mountPath"], "/more")
        without = charted({**OPEN, "serviceAccount": {"create": False}})
        self.assertEqual([each for each in without if each["kind"] == "ServiceAccount"], [])

    def test_keys_of_tokens_may_be_in_a_secret(self):
        objects = charted({"authentication": {"mode": "jwt", "jwt": {
            "keysSecret": "keys", "issuer": "https://login.example.com"}}})
        check(objects)
        pod = only(objects, "Deployment")["spec"]["template"]["spec"]
        self.assertEqual(pod["volumes"][0]["secret"]["secretName"], "keys")

    def test_keys_of_tokens_may_have_an_address(self):
        objects = charted({"authentication": {"mode": "jwt", "jwt": {
            "keysUrl": "https://login.example.com/keys", "issuer": "https://login.example.com"}}})
        check(objects)
        self.assertNotIn("volumes", only(objects, "Deployment")["spec"]["template"]["spec"])
        variables = {each["name"]: each.get("value") for each in server(objects)["env"]}
        self.assertEqual(variables["ANECHOIC_JWT_KEYS_URL"], "https://login.example.com/keys")
        self.assertNotIn("ANECHOIC_JWT_KEYS", variables)

    def test_two_releases_do_not_share_names_or_pods(self):
        first, second = charted(EVERYTHING, name="one"), charted(EVERYTHING, name="two")
        names = {(each["kind"], each["metadata"]["name"]) for each in first}
        self.assertFalse(names & {(each["kind"], each["metadata"]["name"]) for each in second})
        selectors = [only(each, "Deployment")["spec"]["selector"] for each in (first, second)]
        self.assertNotEqual(*selectors)


    def test_notes_say_how_to_reach_the_server_with_its_certificate(self):
        command = "anechoic health --server 127.0.0.1:50051"
        for values, options in (
            (OPEN, ""), (TLS, " --tls-server-name NAME"),
            (CERTIFICATE, " --tls-server-name NAME --certificate client.pem --key client.key"),
        ):
            with self.subTest(options), helm_python.Chart.load(CHART) as chart:
                rendered_files = chart.render(values, name="anechoic", namespace="voice")
                notes = [text for name, text in rendered_files.items() if name.endswith("NOTES.txt")]
                self.assertIn(f"    {command}{options}\n", *notes)


class Compose(unittest.TestCase):
    file = DEPLOY / "compose/compose.yaml"
    https = DEPLOY / "compose/https.yaml"

    def test_follows_the_schema(self):
        checked = subprocess.run(
            ["check-jsonschema", "--builtin-schema", "vendor.compose-spec", str(self.file), str(self.https)],
            capture_output=True, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_builds_targets_of_the_dockerfile(self):
        stages = re.findall(r"^FROM .* AS (\S+)$", (PACKAGE / "Dockerfile").read_text(), re.MULTILINE)
        for name, service in yaml.safe_load(self.file.read_text())["services"].items():
            with self.subTest(name):
                self.assertIn(service["build"]["target"], stages)
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])

    def test_the_server_has_time_to_drain(self):
        service = yaml.safe_load(self.file.read_text())["services"]["server"]
        drain = int(service["environment"]["ANECHOIC_DRAIN_TIME"])
        self.assertGreater(int(service["stop_grace_period"].removesuffix("s")), drain)


class Settings(unittest.TestCase):
    def test_every_variable_is_an_option_of_the_server(self):
        builds = [PACKAGE / ".build" / each / "anechoic-server" for each in ("debug", "release")]
        builds = [each for each in builds if each.exists()]
        if not builds:
            self.skipTest("there is no build of the server")
        program = max(builds, key=lambda each: each.stat().st_mtime)
        printed = subprocess.run(
            [program, "--experimental-dump-help"], capture_output=True, check=True)
        known = set()
        commands = [json.loads(printed.stdout)["command"]]
        while commands:
            command = commands.pop()
            commands += command.get("subcommands", [])
            for argument in command.get("arguments", []):
                for name in argument.get("names") or []:
                    known.add("ANECHOIC_" + name["name"].upper().replace("-", "_"))
        for name, objects in every_variant():
            with self.subTest(name):
                self.assertEqual(environment(objects).keys() - known, set())
        for file in (Compose.file, Compose.https):
            compose = yaml.safe_load(file.read_text())["services"]["server"]["environment"]
            self.assertEqual(compose.keys() - known, set())


if __name__ == "__main__":
    unittest.main()
