internal import AnechoicAPI
internal import GRPCTransport
internal import LiveVoice
internal import Operations
internal import Synchronization

/// The echo paths that the last calls of each line have learnt, for the next calls.
///
/// A line is an exchange, an account of a provider, or a client, whose calls have their echo from the same
/// equipment.
final class LineEchoPaths: Sendable {
  /// A line at one rate: an echo path is that of a rate.
  struct Key: Hashable {
    /// The longest name in bytes. A name may come from anywhere.
    private static let longestName = 250

    let name: String
    let rate: Int

    init(_ name: String, rate: Int) {
      self.name = String(decoding: name.utf8.prefix(Self.longestName), as: UTF8.self)
      self.rate = rate
    }
  }

  /// A line by its name.
  struct Line {
    let paths: LineEchoPaths
    let name: String

    /// Lets a voice begin with the echo path of the line, and keep what it learns. Call it when the format
    /// of the microphone is set.
    func apply(to options: inout LiveVoiceOptions) {
      let key = Key(name, rate: options.microphone.sampleRate)
      options.echoPathHint = paths.path(of: key)
      options.onEchoPath = { [paths] path in paths.keep(path, of: key) }
    }
  }

  /// The lines and rates that are remembered, each with at most 192 KiB. The one used longest ago is forgotten.
  static let most = 100

  private struct State {
    var paths: [Key: Anechoic_V1_EchoPath] = [:]
    /// The lines, the one used last at the end.
    var order: [Key] = []

    mutating func use(_ key: Key) {
      order.removeAll { $0 == key }
      order.append(key)
    }
  }

  private let state = Mutex(State())

  /// The name of the line of a client that opens a WebSocket: that of its header Anechoic-Line, or else its host.
  static func client(of request: HTTPRequest) -> String {
    if let line = request.headers["anechoic-line"], !line.isEmpty { return "line \(line)" }
    return PeerAddress.host(of: request.peer)
  }

  func of(_ name: String) -> Line { Line(paths: self, name: name) }

  func path(of key: Key) -> Anechoic_V1_EchoPath? {
    state.withLock { state in
      guard let path = state.paths[key] else { return nil }
      state.use(key)
      return path
    }
  }

  func keep(_ path: Anechoic_V1_EchoPath, of key: Key) {
    state.withLock { state in
      state.use(key)
      state.paths[key] = path
      if state.order.count > Self.most { state.paths[state.order.removeFirst()] = nil }
    }
  }
}
