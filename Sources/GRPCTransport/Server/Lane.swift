/// The threads of a server that serve the calls of a method.
public enum Lane: Sendable {
  /// The threads of the `queueCount` queues, over which calls are spread.
  case main
  /// One more thread, of a lower priority, for calls that must not hold back the others. A server has
  /// this thread when one of its methods asks for it.
  case background
}
