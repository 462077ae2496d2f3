internal import Foundation
internal import LinuxSystem
internal import Operations

/// Connections that have not yet identified their call.
///
/// These connections do not count as calls. When too many wait, the one that has waited longest is
/// closed, so that silent connections do not keep out an exchange that identifies its call.
struct Newcomers: ~Copyable {
  /// A connection on its way to a call. Its owner changes, and uses it on one thread at a time.
  final class Caller: @unchecked Sendable {
    /// The host of the exchange.
    let host: String
    /// The 16 bytes that identify the call.
    fileprivate(set) var identifier: [UInt8] = []
    fileprivate(set) var parser = AudioSocketParser()
    fileprivate let descriptor: Int32
    fileprivate let deadline = ContinuousClock.now + Newcomers.patience
    private var socket: SecureSocket?

    fileprivate init(_ socket: consuming SecureSocket, host: String) {
      self.host = host
      descriptor = socket.descriptor
      self.socket = consume socket
    }

    /// Gives up the connection, once.
    func takeSocket() -> SecureSocket? { socket.take() }

    fileprivate var isEstablished: Bool { socket?.isEstablished ?? false }

    /// Reads what has arrived. Returns false once the connection has ended.
    fileprivate func read() throws(TLSError) -> Bool {
      var bytes: [UInt8] = []
      let isOpen = try socket?.receive(into: &bytes)
      parser.append(bytes)
      return isOpen ?? false
    }
  }

  /// The time for the message that identifies the call.
  private static let patience = Duration.seconds(5)
  private static let most = 64

  private var waiting: [Caller] = []
  private let security: HTTPSecurity?
  private let refuse: (String) -> Void

  /// With `security`, connections begin with the handshake of TLS. `refuse` gets the reason for each
  /// connection that has no call.
  init(_ security: HTTPSecurity?, refuse: @escaping (String) -> Void) {
    self.security = security
    self.refuse = refuse
  }

  /// The connections, to wait for with `poll`.
  var events: [pollfd] {
    waiting.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
  }

  /// Takes over a new connection from a host.
  mutating func admit(_ descriptor: Int32, from host: String) {
    if waiting.count == Self.most { dismiss(waiting.removeFirst(), .timeout) }
    do throws(TLSError) {
      waiting.append(Caller(try SecureSocket(descriptor, security?.identity), host: host))
    } catch {
      security?.report(.refused(error.description))
    }
  }

  /// Reads from the connections that `poll` reported in `events`. Returns the connections that have
  /// identified their calls, and closes those that cannot or are too late.
  mutating func read(_ events: some Collection<pollfd>) -> [Caller] {
    var callers: [Caller] = []
    var remaining: [Caller] = []
    for (caller, event) in zip(waiting, events) {
      do throws(TLSError) {
        let isOpen = event.revents == 0 ? true : try caller.read()
        if let frame = caller.parser.next() {
          if frame.type == AudioSocketFrame.identifier, frame.payload.count == 16 {
            caller.identifier = frame.payload
            callers.append(caller)
          } else {
            refuse("a connection did not begin with the identifier of a call")
          }
        } else if isOpen, caller.deadline > .now {
          remaining.append(caller)
        } else {
          dismiss(caller, isOpen ? .timeout : .closed)
        }
      } catch {
        if caller.isEstablished {
          refuse("a connection failed: \(error)")
        } else {
          security?.report(.refused(error.description))
        }
      }
    }
    waiting = remaining
    return callers
  }

  /// Tells why a connection without a call has ended: as a failure of its handshake, or in words.
  private func dismiss(_ caller: Caller, _ failure: HTTPHandshakeFailure) {
    guard caller.isEstablished else { return security?.report(failure) ?? () }
    refuse("a connection sent no identifier of a call")
  }
}
