/// The threads of a server that serve the calls of a method.
public enum Lane: Sendable {
  /// The threads of the `queueCount` queues. Calls are spread over them.
  case main
  /// Another thread, with a lower priority, for calls that must not delay the others. A server has
  /// this thread if one of its methods asks for it.
  case background
}
