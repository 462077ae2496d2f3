"""The part of bluetoothd that media players use: an adapter with org.bluez.Media1.

The interface org.example.Headset has Press(METHOD), which calls a method of the registered player, as
bluetoothd does when a headset sends the button, and Registered(), the number of registered players.
"""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

ADAPTER = "/org/bluez/hci0"


class Root(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return {
            ADAPTER: {
                "org.bluez.Media1": dbus.Dictionary({}, "sv"),
                "org.bluez.Adapter1": dbus.Dictionary({"Powered": True}, "sv"),
            }
        }


class Adapter(dbus.service.Object):
    players = []

    @dbus.service.method("org.bluez.Media1", in_signature="oa{sv}", sender_keyword="sender")
    def RegisterPlayer(self, path, properties, sender=None):
        if (sender, path) in self.players:
            raise dbus.DBusException("already registered", name="org.bluez.Error.AlreadyExists")
        self.players.append((sender, path))

    @dbus.service.method("org.example.Headset", in_signature="s")
    def Press(self, method):
        for sender, path in self.players:
            # Without an answer, as bluetoothd.
            message = dbus.lowlevel.MethodCallMessage(
                sender, path, "org.mpris.MediaPlayer2.Player", method
            )
            message.set_no_reply(True)
            bus.send_message(message)

    @dbus.service.method("org.example.Headset", out_signature="i")
    def Registered(self):
        return len(self.players)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
import dbus.lowlevel  # noqa: E402

bus = dbus.SystemBus()
objects = [Root(bus, "/"), Adapter(bus, ADAPTER)]
owned = dbus.service.BusName("org.bluez", bus)
GLib.MainLoop().run()
