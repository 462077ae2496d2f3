import Testing

@testable import Operations

/// The time that the other side of a connection has for a message.
struct WebSocketConnectionTests {
  /// A network that is slower than its client ends no read at the end of a message.
  @Test func eachMessageHasItsOwnTime() {
    let start = ContinuousClock.now
    let connection = WebSocketConnection(
      descriptor: -1, rest: [], limits: .init(messageBytes: 1000), patience: .init()
    ) { _ in }
    let frame = WebSocketFrames.message(
      WebSocketMessage(.binary, [UInt8](repeating: 0, count: 100)), from: .client)
    let frames = (0..<40).flatMap { _ in frame }
    var sent = 0
    func receive(_ count: Int, at second: Int) {
      let now = start + .seconds(second)
      connection.perform(.read, now: now)
      frames[sent..<(sent + count)].withUnsafeBytes { connection.accept($0, now: now) }
      sent += count
      connection.checkTime(now)
    }
    for second in 0..<30 { receive(frame.count + (second == 0 ? 10 : 0), at: second) }
    #expect(!connection.isOver && connection.problem == nil)
    // The rest of this one comes too late.
    receive(1, at: 41)
    #expect(connection.problem?.contains("has to arrive within") == true)
  }
}
