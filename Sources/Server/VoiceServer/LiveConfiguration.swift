internal import Synchronization

/// The configuration of a running server, which may be replaced. A call keeps the configuration that
/// it started with.
final class LiveConfiguration: Sendable {
  private let configuration: Mutex<ServerConfiguration>

  init(_ configuration: ServerConfiguration) { self.configuration = Mutex(configuration) }

  var current: ServerConfiguration {
    get { configuration.withLock { $0 } }
    set { configuration.withLock { $0 = newValue } }
  }
}
