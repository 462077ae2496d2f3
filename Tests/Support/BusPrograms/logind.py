"""The part of logind on a message bus that announces sleep.

The method Sleep of org.anechoic.Test announces that the machine is about to sleep, or has woken up.
"""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.login1"
PATH = "/org/freedesktop/login1"


class Manager(dbus.service.Object):
    @dbus.service.signal("org.freedesktop.login1.Manager", signature="b")
    def PrepareForSleep(self, begins):
        pass

    @dbus.service.method("org.anechoic.Test", in_signature="b")
    def Sleep(self, begins):
        self.PrepareForSleep(begins)


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
manager = Manager(bus, PATH)
owned = dbus.service.BusName(NAME, bus)
GLib.MainLoop().run()
