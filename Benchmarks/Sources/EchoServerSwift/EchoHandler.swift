internal import GRPCTransport

/// A handler that answers each message with the first half of the message, and reads the next
/// message after that write, as EchoServerCxx does.
final class EchoHandler: ServerCallHandler {
  private let call: ServerCall

  init(_ call: ServerCall) {
    self.call = call
    call.read()
  }

  func received(_ message: UnsafeRawBufferPointer) {
    try? call.write(UnsafeRawBufferPointer(rebasing: message[..<(message.count / 2)]))
  }

  func writeCompleted() { call.read() }

  func halfClosed() { call.finish(.ok) }

  func cancelled() {}

  func ended() {}
}
