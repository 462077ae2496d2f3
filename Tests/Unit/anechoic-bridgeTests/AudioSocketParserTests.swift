import Testing

@testable import anechoic_bridge

/// The messages of AudioSocket.
struct AudioSocketParserTests {
  @Test(arguments: [1, 2, 3, 7, 1000])
  func messagesAreFoundHoweverTheirBytesArrive(size: Int) {
    let frames = [
      AudioSocketFrame(AudioSocketFrame.identifier, [UInt8](1...16)),
      AudioSocketFrame(AudioSocketFrame.audio8000, [UInt8](repeating: 7, count: 320)),
      AudioSocketFrame(0x03, [0x35]), AudioSocketFrame(AudioSocketFrame.hangup),
    ]
    let bytes = frames.flatMap(\.bytes)
    var parser = AudioSocketParser()
    var found: [AudioSocketFrame] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      parser.append(Array(bytes[start..<min(bytes.count, start + size)]))
      while let frame = parser.next() { found.append(frame) }
    }
    #expect(found == frames)
    #expect(parser.waitingBytes == 0)
  }

  @Test func theLongestMessageIsWhole() {
    let frame = AudioSocketFrame(0x10, [UInt8](repeating: 1, count: 65_535))
    var parser = AudioSocketParser()
    parser.append(frame.bytes.dropLast())
    let early = parser.next()
    parser.append([1])
    let late = parser.next()
    #expect(early == nil && late == frame)
  }

  @Test func aRateOfATypeCanBeChanged() {
    var types = AudioTypes()
    #expect(types[0x10] == 8000 && types[0x12] == 16000 && types[0x20] == nil)
    types[0x11] = 16000
    #expect(types[0x11] == 16000)
  }

  @Test func missingPlaybackIsSilence() {
    var queue = PlaybackQueue()
    queue.append([1, 2, 3, 4])
    let blocks = [queue.pop(2), queue.pop(4), queue.pop(2)]
    #expect(blocks == [[1, 2], [3, 4, 0, 0], [0, 0]])
    #expect(queue.count == 0)
  }
}
