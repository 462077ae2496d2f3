internal import Foundation
internal import LinuxSystem
internal import Operations
internal import Synchronization

/// A bridge between clients that open WebSockets and an upstream to which it opens one for each.
final class SocketBridge<Rules: Relay>: CallBridge {
  /// The settings of a bridge.
  struct Settings: Sendable {
    var dialer: UpstreamDialer
    /// The TLS of clients, or nil if they connect without.
    var security: HTTPSecurity?
    /// The largest message of either side in bytes. As many bytes of messages may wait.
    var messageBytes: Int
    /// The maximum number of calls at a time.
    var maximumCalls: Int
    var metrics: BridgeMetrics
    /// Writes a line to the log. Called from any thread.
    var log: @Sendable (String) -> Void
    /// Returns the rules of a call, from its name and the request of its client.
    var makeRelay: @Sendable (String, HTTPRequest) -> Rules
  }

  private struct State {
    var calls = 0
    var lastCall = 0
    var isStopping = false
  }

  /// The time for calls to end by themselves, once the bridge stops.
  private static var farewell: Duration { .seconds(5) }

  private let settings: Settings
  private let state = Mutex(State())
  private let listener = Mutex<HTTPListener?>(nil)

  /// Listens for clients. Throws if that is not possible.
  init(listeningOn address: String, _ settings: Settings) throws(ListeningError) {
    self.settings = settings
    let listener = try HTTPListener(address, security: settings.security) { [weak self] request in
      self?.answer(request) ?? .refusal(.serviceUnavailable)
    }
    self.listener.withLock { $0 = listener }
  }

  /// The address with the actual port.
  var address: String { listener.withLock { $0?.address } ?? "" }

  var callCount: Int { state.withLock { $0.calls } }
  var maximumCalls: Int { settings.maximumCalls }
  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Accepts no more calls, closes the running ones, and returns when they have ended, after 5 s at the
  /// latest.
  func stop() async {
    state.withLock { $0.isStopping = true }
    listener.withLock { $0 }?.stop()
    let deadline = ContinuousClock.now + Self.farewell
    while callCount > 0, .now < deadline {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private func answer(_ request: HTTPRequest) -> HTTPAnswer {
    switch WebSocketHandshake.check(request) {
    case .refused(let response): return .complete(response)
    case .accepted(let handshake):
      guard !isStopping else {
        return .complete(HTTPResponse("the bridge stops\n", status: .serviceUnavailable))
      }
      guard callCount < maximumCalls else {
        settings.metrics.refused(.full)
        settings.log("a call was refused: \(maximumCalls) calls are running (--max-calls)")
        return .complete(HTTPResponse("too many calls are running\n", status: .serviceUnavailable))
      }
      // The upstream decides about the answer.
      return .upgrade(
        HTTPUpgrade(headers: nil) { [self] connection in
          let number = state.withLock { state in
            state.calls += 1
            state.lastCall += 1
            return state.lastCall
          }
          let thread = Thread { [self] in
            run("call \(number)", handshake, request, connection)
            state.withLock { $0.calls -= 1 }
          }
          thread.name = "relay"
          thread.start()
        })
    }
  }

  private func run(
    _ name: String, _ handshake: WebSocketHandshake, _ request: HTTPRequest,
    _ connection: UpgradedConnection
  ) {
    var phone = ConnectedSocket(connection.descriptor)
    var tls = connection.takeEncryption()
    do {
      var link = try settings.dialer.dial(for: request)
      var headers = UpstreamDialer.passing(link.headers)
      headers.merge(handshake.headers(choosing: link.headers["sec-websocket-protocol"])) { $1 }
      try phone.send(HTTPUpgrade.answer(headers), through: &tls)
      let client = side(phone.descriptor, connection.rest, as: .server, tls.take())
      let upstream = side(link.socket.descriptor, link.rest, as: .client, link.tls.take())
      settings.metrics.started.add()
      RelayedCall(
        name, client: client, upstream: upstream, settings.makeRelay(name, request),
        log: settings.log
      ) { [self] in isStopping }.run()
    } catch let error as UpstreamDialer.DialError {
      try? phone.send(error.answer, through: &tls)
      tls?.close()
      phone.send(tls?.popOutgoing() ?? [])
      phone.endSending()
      settings.metrics.refused(.failed)
      settings.log("\(name): not started: \(error.reason)")
    } catch {
      settings.metrics.refused(.failed)
      settings.log("\(name): not started: client: \(error)")
    }
  }

  private func side(
    _ descriptor: Int32, _ rest: [UInt8], as role: WebSocketRole, _ tls: consuming TLSStream?
  ) -> RelaySide {
    var patience = WebSocketConnection.Patience()
    // The largest message takes as long on a line of 2 Mbit/s.
    patience.message = .seconds(60)
    var encryption = tls.take()
    return RelaySide(mostRead: settings.messageBytes) { report in
      WebSocketConnection(
        descriptor: descriptor, rest: rest, as: role, tls: encryption.take(),
        limits: .init(messageBytes: settings.messageBytes), patience: patience, report: report)
    }
  }
}
