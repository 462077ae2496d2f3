/// The id with which the lines of a server's log are found that belong to one call.
public enum CorrelationID {
  /// Returns the id of the trace that the client's headers name, or a random id of the same form: 32
  /// hexadecimal digits.
  public static func of(_ metadata: Metadata) -> String {
    let parent = metadata.bytes(of: TraceParent.header).flatMap { TraceParent($0) }
    return (parent?.trace ?? .random()).description
  }
}
