import Foundation
import GRPCTransport
import Synchronization

/// A handler that records its events and follows a script.
final class ScriptedHandler: ServerCallHandler {
  typealias Step = @Sendable (ScriptedHandler) -> Void

  /// A script. By default it reads once, ends with OK when the client half-closes, and ignores
  /// everything else.
  struct Script: Sendable {
    var started: Step = { $0.call.read() }
    var received: @Sendable (ScriptedHandler, [UInt8]) -> Void = { _, _ in }
    var halfClosed: Step = { $0.call.finish(.ok) }
    var writeCompleted: Step = { _ in }
    var cancelled: Step = { _ in }
    var ended: Step = { _ in }
  }

  let call: ServerCall
  let journal: Journal
  let number: Int
  /// A variable for scripts.
  var writesLeft = 0
  var timer: GRPCTransport.Timer?
  private let script: Script
  private let isInside = Atomic(false)

  init(_ call: ServerCall, _ journal: Journal, _ script: Script) {
    self.call = call
    self.journal = journal
    self.script = script
    number = journal.nextCall()
    record(.started) { script.started(self) }
  }

  deinit { journal.record(.released, in: number) }

  func received(_ message: UnsafeRawBufferPointer) {
    let message = Array(message)
    record(.received(message)) { script.received(self, message) }
  }
  func halfClosed() { record(.halfClosed) { script.halfClosed(self) } }
  func writeCompleted() { record(.writeCompleted) { script.writeCompleted(self) } }
  func stalled() { note("stalled") }
  func cancelled() { record(.cancelled) { script.cancelled(self) } }
  func ended() { record(.ended) { script.ended(self) } }

  func write(_ message: [UInt8]) { message.withUnsafeBytes { try? call.write($0) } }

  func note(_ text: String) { journal.record(.note(text), in: number) }

  private func record(_ event: Journal.Event, _ step: () -> Void) {
    if isInside.exchange(true, ordering: .acquiringAndReleasing) {
      journal.record(.overlapped, in: number)
    }
    journal.record(event, in: number)
    step()
    isInside.store(false, ordering: .releasing)
  }
}

extension ScriptedHandler.Script {
  /// Sends back every message. Ends with OK when the client half-closes.
  static let echo = Self(
    received: { $0.write($1) },
    writeCompleted: { $0.call.read() })

  /// Reads every message and answers none. Ends with OK when the client half-closes.
  static let sink = Self(received: { handler, _ in handler.call.read() })

  /// Reads nothing and sends nothing.
  static let silence = Self(started: { _ in })

  /// Ends the call as soon as it has started.
  static func refusal(_ status: Status, trailers: Metadata = Metadata()) -> Self {
    Self(started: { $0.call.finish(status, trailers: trailers) })
  }

  /// Writes `count` messages of `bytes` bytes as fast as possible, then ends with OK. The first
  /// byte of each message is its number.
  static func source(_ count: Int, bytes: Int) -> Self {
    let write: ScriptedHandler.Step = { handler in
      var message = [UInt8](repeating: 0, count: bytes)
      message[0] = UInt8(truncatingIfNeeded: count - handler.writesLeft)
      handler.write(message)
    }
    return Self(
      started: { handler in
        handler.writesLeft = count
        write(handler)
      },
      writeCompleted: { handler in
        handler.writesLeft -= 1
        handler.writesLeft > 0 ? write(handler) : handler.call.finish(.ok)
      })
  }
}
