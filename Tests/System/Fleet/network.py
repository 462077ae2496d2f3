"""A small network of namespaces: one bridge, and a namespace with an address for each name."""

import os
import subprocess


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


class Network:
    """Namespaces on a bridge of their own, in 10.77.0.0/24. Use it as a context."""

    def __init__(self, names):
        self.prefix = f"fl{os.getpid() % 100000}"
        self.addresses = {name: f"10.77.0.{number + 2}" for number, name in enumerate(names)}
        self.hub = f"{self.prefix}-hub"
        self.made = []

    def __enter__(self):
        # The bridge lives in a namespace too, so that nothing of the host is touched.
        self._add(self.hub)
        ip("-n", self.hub, "link", "add", "bridge", "type", "bridge")
        ip("-n", self.hub, "link", "set", "bridge", "up")
        for number, (name, address) in enumerate(self.addresses.items()):
            space = self.space(name)
            self._add(space)
            ip("-n", self.hub, "link", "add", f"port{number}", "type", "veth", "peer", "name", "eth0",
               "netns", space)
            ip("-n", self.hub, "link", "set", f"port{number}", "master", "bridge", "up")
            ip("-n", space, "address", "add", f"{address}/24", "dev", "eth0")
            ip("-n", space, "link", "set", "eth0", "up")
            ip("-n", space, "link", "set", "lo", "up")
        return self

    def __exit__(self, *_):
        for space in reversed(self.made):
            subprocess.run(["ip", "netns", "delete", space], capture_output=True)

    def _add(self, space):
        ip("netns", "add", space)
        self.made.append(space)

    def space(self, name):
        return f"{self.prefix}-{name}"

    def start(self, name, command, log):
        """Starts a program in the namespace of a name."""
        return subprocess.Popen(
            ["ip", "netns", "exec", self.space(name), *command],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)

    def enter(self, name):
        """Moves this thread, and the threads that it starts from now on, into a namespace."""
        import ctypes
        with open(f"/run/netns/{self.space(name)}") as space:
            if ctypes.CDLL(None, use_errno=True).setns(space.fileno(), 0x40000000) != 0:
                raise OSError(ctypes.get_errno(), "setns")
