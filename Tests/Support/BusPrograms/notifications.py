"""The notification service of a desktop on a message bus, as the Desktop Notifications Specification describes it.

It shows nothing. The property Shown of org.anechoic.Test has the titles of the notifications that are shown,
the property Texts their texts, and the method Press presses a button of the newest one.
"""

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"


class Notifications(dbus.service.Object):
    def __init__(self, bus):
        self.shown, self.texts = {}, {}
        self.count = 0
        super().__init__(bus, PATH)

    @dbus.service.method(NAME, in_signature="susssasa{sv}i", out_signature="u")
    def Notify(self, program, replaced, icon, title, text, actions, hints, time):
        self.count += 1
        number = int(replaced) or self.count
        self.shown[number] = str(title)
        self.texts[number] = str(text)
        return dbus.UInt32(number)

    @dbus.service.method(NAME, in_signature="u")
    def CloseNotification(self, number):
        self.shown.pop(int(number), None)
        self.texts.pop(int(number), None)

    @dbus.service.signal(NAME, signature="us")
    def ActionInvoked(self, number, key):
        pass

    @dbus.service.method("org.anechoic.Test", in_signature="s")
    def Press(self, key):
        self.ActionInvoked(dbus.UInt32(max(self.shown)), key)

    @dbus.service.method(dbus.PROPERTIES_IFACE, in_signature="ss", out_signature="v")
    def Get(self, interface, name):
        texts = {"Shown": self.shown, "Texts": self.texts}[name]
        return dbus.Array(list(texts.values()), "s")


dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
service = Notifications(bus)
owned = dbus.service.BusName(NAME, bus)
GLib.MainLoop().run()
