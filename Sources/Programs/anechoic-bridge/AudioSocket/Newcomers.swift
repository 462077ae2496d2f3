internal import Foundation
internal import LinuxSystem

/// Connections that have not yet identified their call.
///
/// These connections do not count as calls. When too many wait, the one that has waited longest is
/// closed, so that silent connections do not keep out an exchange that identifies its call.
struct Newcomers: ~Copyable {
  /// A connection that has identified its call. `descriptor` belongs to the receiver.
  struct Caller: Sendable {
    let descriptor: Int32
    /// The host of the exchange.
    let host: String
    let identifier: AudioSocketFrame
    let parser: AudioSocketParser
  }

  private struct Newcomer {
    let descriptor: Int32
    let host: String
    let deadline: ContinuousClock.Instant
    var parser = AudioSocketParser()
  }

  /// The time for the message that identifies the call.
  private static let patience = Duration.seconds(5)
  private static let most = 64

  private var waiting: [Newcomer] = []
  private let log: (String) -> Void

  init(log: @escaping (String) -> Void) { self.log = log }

  deinit {
    for newcomer in waiting { close(newcomer.descriptor) }
  }

  /// The connections, to wait for with `poll`.
  var events: [pollfd] {
    waiting.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
  }

  /// Takes over a new connection from a host.
  mutating func admit(_ descriptor: Int32, from host: String) {
    if waiting.count == Self.most { dismiss(waiting.removeFirst(), "sent no identifier of a call") }
    waiting.append(
      Newcomer(descriptor: descriptor, host: host, deadline: .now + Self.patience))
  }

  /// Reads from the connections that `poll` reported in `events`. Returns the connections that have
  /// identified their calls, and closes those that cannot or are too late.
  mutating func read(_ events: some Collection<pollfd>) -> [Caller] {
    var callers: [Caller] = []
    var remaining: [Newcomer] = []
    for (var newcomer, event) in zip(waiting, events) {
      var isOpen = true
      if event.revents != 0 {
        var bytes: [UInt8] = []
        isOpen = ConnectedSocket.receive(from: newcomer.descriptor, into: &bytes)
        newcomer.parser.append(bytes)
      }
      if let frame = newcomer.parser.next() {
        if frame.type == AudioSocketFrame.identifier, frame.payload.count == 16 {
          callers.append(
            Caller(
              descriptor: newcomer.descriptor, host: newcomer.host, identifier: frame,
              parser: newcomer.parser))
        } else {
          dismiss(newcomer, "did not begin with the identifier of a call")
        }
      } else if isOpen, newcomer.deadline > .now {
        remaining.append(newcomer)
      } else {
        dismiss(newcomer, "sent no identifier of a call")
      }
    }
    waiting = remaining
    return callers
  }

  private func dismiss(_ newcomer: Newcomer, _ reason: String) {
    close(newcomer.descriptor)
    log("a connection \(reason)")
  }
}
