internal import Foundation

/// A connection to a D-Bus message bus, on a thread of its own. It never starts a program, and every wait
/// has a limit. The connection is closed when the last reference to it is released.
final class BusConnection: Sendable {
  /// The default limit of a call.
  static let usualLimit = Duration.seconds(2)

  /// The signals that match a rule, and the calls of other programs, for one reader. Ends when the
  /// connection is closed or lost, or when 256 messages wait.
  let messages: AsyncStream<BusMessage>
  private let queue: BusQueue

  private init(_ loop: BusLoop) {
    messages = loop.messages
    queue = loop.queue
  }

  deinit { queue.close() }

  /// Connects to a bus.
  static func open(
    _ address: BusAddress, within limit: Duration = usualLimit
  ) async throws(BusError) -> BusConnection {
    typealias Opened = Result<BusConnection, BusError>
    let opened = await withCheckedContinuation { (opened: CheckedContinuation<Opened, Never>) in
      let thread = Thread {
        do throws(BusError) {
          let loop = try BusLoop(address, within: limit)
          opened.resume(returning: .success(BusConnection(loop)))
          loop.run()
        } catch {
          opened.resume(returning: .failure(error))
        }
      }
      thread.name = "bus"
      thread.start()
    }
    return try opened.get()
  }

  /// Calls a method and returns its results. Throws after the limit if the other program does not
  /// answer.
  @discardableResult
  func call(
    _ call: BusCall, within limit: Duration = usualLimit
  ) async throws(BusError) -> [BusValue] {
    let answer = await withCheckedContinuation { continuation in
      let letter = BusQueue.Letter.call(call, deadline: .now + limit, continuation)
      if let problem = queue.add(letter) { continuation.resume(returning: .failure(problem)) }
    }
    return try answer.get()
  }

  /// Requests the signals that match a rule, such as `type='signal',path='/player'`.
  func watch(_ rule: String) async throws(BusError) {
    try await call(.bus("AddMatch", [.string(rule)]))
  }

  /// Answers a call of another program. Does nothing for a signal, and if the caller wants no answer.
  func answer(_ message: BusMessage, _ answer: Result<[BusValue], BusError>) {
    guard case .call(let serial) = message.kind, serial != 0 else { return }
    _ = queue.add(.answer(serial: serial, to: message.sender, answer))
  }
}

/// An error of a bus or of a program on it.
struct BusError: Error, Equatable, CustomStringConvertible {
  enum Kind: Sendable, Equatable {
    /// There is no connection, or it was lost.
    case disconnected
    /// There was no answer within the limit.
    case timedOut
    /// The program answered with an error.
    case refused
    /// The message is not valid, or too many calls wait for an answer.
    case invalid
  }

  let kind: Kind
  let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  static let lost = BusError(.disconnected, "the connection to the bus was lost")
}
