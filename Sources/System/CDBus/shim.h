// libdbus, and the descriptor that wakes the thread of a connection.
#include <dbus/dbus.h>
#include <sys/eventfd.h>
