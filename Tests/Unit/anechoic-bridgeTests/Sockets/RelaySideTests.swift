import Foundation
import Testing

@testable import Operations
@testable import anechoic_bridge

/// One side of a call whose messages are not taken.
struct RelaySideTests {
  /// A side whose other end is a socket of the test.
  private final class Rig {
    let side: RelaySide
    private let descriptors: [Int32]

    init(mostRead: Int) throws {
      var pair: [Int32] = [0, 0]
      let result = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
      try #require(result == 0)
      let near = pair[0]
      descriptors = pair
      side = RelaySide(mostRead: mostRead) { report in
        WebSocketConnection(
          descriptor: near, rest: [], limits: .init(messageBytes: 1000), patience: .init(),
          report: report)
      }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    /// Sends frames, and lets the side read them if it wants to.
    func receive(_ frames: [UInt8]) {
      #expect(send(descriptors[1], frames, frames.count, 0) == frames.count)
      if side.wanted.events & Int16(POLLIN) != 0 { side.proceed(Int16(POLLIN), now: .now) }
    }

    /// The bytes that the side has sent.
    func answer() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 1000)
      let count = recv(descriptors[1], &bytes, bytes.count, Int32(MSG_DONTWAIT))
      return Array(bytes.prefix(max(0, count)))
    }
  }

  private static func message(_ number: UInt8) -> [UInt8] {
    WebSocketFrames.message(
      WebSocketMessage(.binary, [UInt8](repeating: number, count: 500)), from: .client)
  }

  private static let ping = WebSocketFrames.frame(.ping, [7], from: .client)
  private static let pong = WebSocketFrames.frame(.pong, [7], from: .server)

  @Test func pingsAreAnsweredWhileMessagesWait() throws {
    let rig = try Rig(mostRead: 10_000)
    for number: UInt8 in 1...3 { rig.receive(Self.message(number)) }
    rig.receive(Self.ping)
    #expect(rig.answer() == Self.pong)
    for number: UInt8 in 1...3 { #expect(rig.side.next(now: .now)?.bytes.first == number) }
    #expect(rig.side.next(now: .now) == nil)
  }

  @Test func aSideOfWhichTooMuchWaitsIsNotRead() throws {
    let rig = try Rig(mostRead: 1000)
    for number: UInt8 in 1...3 { rig.receive(Self.message(number)) }
    // Two messages fill the room, and the third one has been read.
    #expect(rig.side.wanted.events == 0)
    rig.receive(Self.ping)
    #expect(rig.answer().isEmpty)
    for number: UInt8 in 1...3 { #expect(rig.side.next(now: .now)?.bytes.first == number) }
    rig.side.proceed(0, now: .now)
    #expect(rig.side.wanted.events == Int16(POLLIN))
  }

  @Test func messagesBeforeTheEndAreTakenFirst() throws {
    let rig = try Rig(mostRead: 10_000)
    rig.receive(Self.message(1) + WebSocketFrames.close(.normal, from: .client))
    #expect(rig.side.end == nil)
    #expect(rig.side.next(now: .now)?.bytes.first == 1)
    guard case .closed(let closing) = rig.side.end else {
      Issue.record("the side has not ended")
      return
    }
    #expect(closing == .normal)
  }
}
