"""The notification service of a desktop on a message bus, as the Desktop Notifications Specification describes it.

It shows nothing. The property Shown of org.anechoic.Test has the titles of the notifications that are shown.
"""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"


class Notifications(dbus.service.Object):
    def __init__(self, bus):
        self.shown = {}
        self.count = 0
        super().__init__(bus, PATH)

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, program, replaced, icon, title, text, actions, hints, time):
        self.count += 1
        number = int(replaced) or self.count
        self.shown[number] = str(title)
        return dbus.UInt32(number)

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.shown.pop(int(number), None)

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        return {"Shown": dbus.Array(list(self.shown.values()), "s")}[name]


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
service = Notifications(bus)
owned = dbus.service.BusName(NAME, bus)
GLib.MainLoop().run()
