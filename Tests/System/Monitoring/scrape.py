"""Scrapes a server in both formats, and fails unless Prometheus' own Python library can read them.

usage: scrape.py URL NAME...

Prints the value of each NAME, such as anechoic_frames_processed_total, added over its series.
"""
import sys
import urllib.request

from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read_prometheus


def scrape(url, accept):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.headers["Content-Type"], response.read().decode()


def samples(families):
    found = {}
    for family in families:
        assert family.documentation, f"{family.name} has no help"
        for sample in family.samples:
            found.setdefault(sample.name, []).append(sample.value)
    return found


def main(url, names):
    scrape(url, "text/plain")  # So that the metric of requests exists in both formats.
    kind, text = scrape(url, "text/plain")
    assert kind.startswith("text/plain; version=0.0.4"), kind
    plain = samples(read_prometheus(text))
    kind, text = scrape(url, "application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text; version=1.0.0"), kind
    open_metrics = samples(read_openmetrics(text))
    missing = set(plain) ^ set(open_metrics)
    assert not missing, f"only in one of the formats: {missing}"
    for name in names:
        print(name, sum(open_metrics[name]))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
