import TestNetwork
import Testing

@testable import Operations

/// The frames of clients, as pure bytes.
struct WebSocketReaderTests {
  private typealias Client = RawWebSocketClient

  private func events(
    _ bytes: [UInt8], piece: Int = .max, messageBytes: Int = 1 << 20
  ) -> [WebSocketReader.Event] {
    var reader = WebSocketReader(.init(messageBytes: messageBytes, fragments: 8))
    var events: [WebSocketReader.Event] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      Array(rest.prefix(piece)).withUnsafeBytes { reader.append($0) }
      rest = rest.dropFirst(piece)
      while let event = reader.next() { events.append(event) }
    }
    return events
  }

  private func violation(_ bytes: [UInt8]) -> UInt16? {
    guard case .violation(let closing) = events(bytes).last else { return nil }
    return closing.code
  }

  @Test(arguments: [0, 1, 125, 126, 65535, 65536])
  func aMessageOfAnySizeArrives(count: Int) {
    let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    #expect(
      events(Client.frame(2, payload)) == [.message(WebSocketMessage(.binary, payload))])
  }

  @Test(arguments: [1, 2, 3, 7, 64])
  func theSizeOfThePiecesDoesNotMatter(piece: Int) {
    let bytes =
      Client.frame(1, Array("a".utf8), isFinal: false) + Client.frame(9, [1, 2])
      + Client.frame(0, Array("é".utf8), isFinal: false) + Client.frame(10, [])
      + Client.frame(0, Array("z".utf8)) + Client.frame(2, [UInt8](repeating: 9, count: 300))
      + Client.frame(8, [0x03, 0xE8])
    #expect(
      events(bytes, piece: piece) == [
        .ping([1, 2]), .pong, .message(WebSocketMessage("aéz")),
        .message(WebSocketMessage(.binary, [UInt8](repeating: 9, count: 300))), .close(.normal),
      ])
  }

  @Test func framesThatBreakTheProtocolAreViolations() {
    #expect(violation(Client.frame(1, [65], isMasked: false)) == 1002)
    #expect(violation([0xC1, 0x80, 0, 0, 0, 0]) == 1002)
    #expect(violation(Client.frame(3, [])) == 1002)
    #expect(violation(Client.frame(0, [])) == 1002)
    #expect(violation(Client.frame(1, [], isFinal: false) + Client.frame(2, [])) == 1002)
    #expect(violation(Client.frame(9, [], isFinal: false)) == 1002)
    #expect(violation(Client.frame(9, [UInt8](repeating: 0, count: 126))) == 1002)
    #expect(violation(Client.frame(8, [3])) == 1002)
    #expect(violation(Client.frame(8, [0x03, 0xED])) == 1002)
    #expect(violation(Client.frame(1, [0xFF, 0xFE])) == 1007)
  }

  @Test func aMessageThatIsTooLargeIsRefusedBeforeItArrives() {
    let head: [UInt8] = [0x82, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 1, 2, 3, 4]
    #expect(violation(head) == 1009)
    #expect(violation([0x82, 0xFF] + [UInt8](repeating: 0xFF, count: 8) + [1, 2, 3, 4]) == 1009)
    let half = [UInt8](repeating: 0, count: 600 << 10)
    #expect(
      violation(Client.frame(2, half, isFinal: false) + Client.frame(0, half)) == 1009)
  }

  @Test func fragmentsWithoutEndAreRefused() {
    let fragments = (0..<9).flatMap { Client.frame($0 == 0 ? 2 : 0, [], isFinal: false) }
    #expect(violation(fragments) == 1008)
  }

  @Test func nothingIsReadAfterTheEnd() {
    #expect(
      events(Client.frame(8, []) + Client.frame(1, [65])) == [.close(nil)])
    #expect(events(Client.frame(3, []) + Client.frame(1, [65])).count == 1)
  }

  @Test func anyBytesAreSurvived() {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let bytes = (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
      #expect(events(bytes, piece: 13, messageBytes: 4096) == events(bytes, messageBytes: 4096))
    }
  }

  @Test func aReasonIsCutAtACharacter() {
    let closing = WebSocketClosing(4000, String(repeating: "é", count: 80))
    #expect(closing.reason == String(repeating: "é", count: 61))
  }
}
