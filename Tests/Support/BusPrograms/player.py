"""A media player on a message bus, as MPRIS describes it. It plays nothing.

player.py NAME STATUS [silent | slow]

NAME is the end of its name on the bus, and STATUS is Playing, Paused or Stopped. A silent player accepts
calls and never answers. A slow player begins to play half a second after it was asked.
"""

import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PATH = "/org/mpris/MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = dbus.PROPERTIES_IFACE


class Player(dbus.service.Object):
    def __init__(self, bus, status):
        self.status = status
        self.calls = 0
        super().__init__(bus, PATH)

    def become(self, status):
        self.calls += 1
        if status != self.status:
            self.status = status
            self.PropertiesChanged(PLAYER, {"PlaybackStatus": status}, [])

    @dbus.service.method(PLAYER)
    def Play(self):
        self.become("Playing")

    @dbus.service.method(PLAYER)
    def Pause(self):
        self.become("Paused")

    @dbus.service.method(PLAYER)
    def Stop(self):
        self.become("Stopped")

    @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return {"PlaybackStatus": self.status, "Calls": dbus.Int32(self.calls)}[name]

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


class SlowPlayer(Player):
    start = None

    def become(self, status):
        if self.start is not None:
            GLib.source_remove(self.start)
            self.start = None
        if status != "Playing":
            return super().become(status)
        self.calls += 1
        self.start = GLib.timeout_add(500, self.play)

    def play(self):
        self.start = None
        self.calls -= 1
        super().become("Playing")
        return False


class SilentPlayer(dbus.service.Object):
    @dbus.service.method(PLAYER, async_callbacks=("answer", "fail"))
    def Play(self, answer, fail):
        pass

    @dbus.service.method(PLAYER, async_callbacks=("answer", "fail"))
    def Pause(self, answer, fail):
        pass

    @dbus.service.method(
        PROPERTIES, in_signature="ss", out_signature="v", async_callbacks=("answer", "fail")
    )
    def Get(self, interface, name, answer, fail):
        pass

    @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
    def PropertiesChanged(self, interface, changed, invalidated):
        pass


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
name, status = sys.argv[1:3]
if sys.argv[3:] == ["silent"]:
    player = SilentPlayer(bus, PATH)
    # Tells that it plays, although it never answers.
    GLib.timeout_add(
        50, lambda: player.PropertiesChanged(PLAYER, {"PlaybackStatus": status}, []) or True
    )
else:
    player = (SlowPlayer if sys.argv[3:] == ["slow"] else Player)(bus, status)
owned = dbus.service.BusName(f"org.mpris.MediaPlayer2.{name}", bus)
GLib.MainLoop().run()
