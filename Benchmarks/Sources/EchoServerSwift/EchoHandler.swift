internal import GRPCTransport

/// Answers each message with the first half of it, and reads on when that is written: what
/// EchoServerCxx does.
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
