/// A source or destination of sound on this machine: an ALSA PCM, a FIFO with raw samples, or a
/// file.
public enum Endpoint: Sendable, Equatable, CustomStringConvertible {
  case alsa(String)
  /// Signed 16-bit little-endian samples, interleaved, at the session's rate.
  case fifo(path: String)
  /// A file in a format that libsndfile reads. Written as WAV.
  case file(path: String)

  /// Creates an endpoint from `alsa:NAME`, `fifo:PATH` or `file:PATH`. Returns nil for any other
  /// text.
  public init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let rest = String(text[text.index(after: colon)...])
    guard !rest.isEmpty else { return nil }
    switch text[..<colon] {
    case "alsa": self = .alsa(rest)
    case "fifo": self = .fifo(path: rest)
    case "file": self = .file(path: rest)
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .alsa(let name): "alsa:\(name)"
    case .fifo(let path): "fifo:\(path)"
    case .file(let path): "file:\(path)"
    }
  }
}
