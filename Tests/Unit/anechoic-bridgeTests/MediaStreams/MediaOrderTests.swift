import Operations
import Testing

@testable import anechoic_bridge

/// The order of the media of a caller.
struct MediaOrderTests {
  private let now = ContinuousClock.now

  private static func media(
    _ chunk: Int, _ payload: String? = nil, at time: Int? = nil, padding: Int = 0
  ) throws -> MediaStreamMessage {
    let timestamp = time.map { #""timestamp":"\#($0)","# } ?? ""
    let media = #"{\#(timestamp)"chunk":"\#(chunk)","payload":"\#(payload ?? "\(chunk)")"}"#
    let more = String(repeating: "x", count: padding)
    return try #require(
      MediaStreamMessage(
        WebSocketMessage(#"{"event":"media","media":\#(media),"more":"\#(more)"}"#)))
  }

  private func chunks(_ order: inout MediaOrder, _ numbers: Int...) throws -> [Int?] {
    var chunks: [Int?] = []
    for number in numbers { chunks += order.add(try Self.media(number), now: now).map(\.chunk) }
    return chunks
  }

  @Test func mediaWaitOnceTheOrderWasWrong() throws {
    var order = MediaOrder()
    // The first of a wrong order cannot wait.
    #expect(try chunks(&order, 1, 2, 4, 3) == [1, 2, 4, 3])
    #expect(try chunks(&order, 6) == [])
    #expect(try chunks(&order, 5, 7) == [5, 6, 7])
    #expect(try chunks(&order, 9) == [])
    #expect(order.due(now: now).isEmpty)
    #expect(order.due(now: now + .milliseconds(60)).map(\.chunk) == [9])
  }

  @Test func mediaThatComeTwiceAreLeftOut() throws {
    var order = MediaOrder()
    #expect(try chunks(&order, 1, 2, 2, 1, 3) == [1, 2, 3])
  }

  /// A provider that gives all media one number counts nothing: no sound of it is left out.
  @Test func mediaWithOneNumberAllPass() throws {
    var order = MediaOrder()
    let media = try ["a", "b", "b", "a"].map { try Self.media(1, $0) }
    #expect(media.flatMap { order.add($0, now: now) }.count == 4)
    order = MediaOrder()
    let timed = try [0, 20, 40].map { try Self.media(1, "a", at: $0) }
    #expect(timed.flatMap { order.add($0, now: now) }.count == 3)
  }

  /// Long messages do not wait, so that the memory of a call has a bound.
  @Test func aLongMessagePassesAtOnce() throws {
    var order = MediaOrder()
    _ = try chunks(&order, 1, 2, 4, 3)
    #expect(try order.add(Self.media(6, padding: 1 << 18), now: now).map(\.chunk) == [6])
  }

  @Test(arguments: [Int.min, -1, Int.max]) func numbersThatAreNonePass(chunk: Int) throws {
    var order = MediaOrder()
    _ = try chunks(&order, 1, 2)
    #expect(try order.add(Self.media(chunk), now: now).count == 1)
    #expect(try chunks(&order, 3) == [3])
  }
}
