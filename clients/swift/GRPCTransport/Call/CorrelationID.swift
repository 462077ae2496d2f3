/// The id with which the lines of a server's log are found that belong to one call.
public enum CorrelationID {
  /// The header with an id that a part of the server has told the client before the call starts. An
  /// id that a client sends in it counts like the trace of `traceparent`.
  public static let chosen = "anechoic-correlation"

  /// Returns the id of the trace that the client's headers name, or else the chosen id, or a random
  /// one. An id has 32 hexadecimal digits.
  public static func of(_ metadata: Metadata) -> String {
    let parent = metadata.bytes(of: TraceParent.header).flatMap { TraceParent($0) }
    let chosen = metadata[chosen].flatMap { TraceID($0) }
    return (parent?.trace ?? chosen ?? .random()).description
  }
}
