internal import GRPCTransport
internal import Synchronization
internal import VoiceClient

/// The agent's session on the server, for calls that the local control forwards.
struct ForwardedSession: Sendable {
  /// The name of the session on the server.
  let name: String
  /// The number of the connection, as in `EdgeStatus`.
  let connection: Int
  let channel: Channel
}

/// The channel of the calls that are forwarded. Each connection to the session has a new one, because
/// the channel from before may have failed silently with its connection.
final class ForwardingChannel: Sendable {
  private let server: EdgeConfiguration.Server
  private let last = Mutex<(connection: Int, channel: Channel)?>(nil)

  init(_ server: EdgeConfiguration.Server) { self.server = server }

  /// Returns the session of a status, or nil if the server is away.
  func session(of status: EdgeStatus) -> ForwardedSession? {
    status.connection.map {
      ForwardedSession(name: status.session, connection: $0, channel: channel(for: $0))
    }
  }

  private func channel(for connection: Int) -> Channel {
    last.withLock { last in
      if let last, last.connection >= connection { return last.channel }
      let channel = Channel(target: server.address, options: .own(), security: server.security)
      last = (connection, channel)
      return channel
    }
  }
}
