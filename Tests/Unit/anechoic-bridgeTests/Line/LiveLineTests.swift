import Testing

@testable import anechoic_bridge

/// The microphone of a call on its way through a voice.
struct LiveLineTests {
  private typealias Line = LiveLine<String>

  /// A line at 8 kHz with a delay of 120 ms, and a clock.
  private struct Rig {
    let voice = ScriptedVoice(delay: 960)
    var line: LiveLine<String>
    var playback: PlaybackLine
    var now = ContinuousClock.now
    var out: [LiveLine<String>.Piece] = []

    init(longestPiece: Int = .max) {
      line = LiveLine(
        voice, rate: 8000, delay: .milliseconds(120), longestPiece: longestPiece, now: now)
      playback = PlaybackLine(rate: 8000, now: now)
    }

    mutating func run(milliseconds: Int) {
      for _ in 0..<(milliseconds / 10) {
        now += .milliseconds(10)
        out += line.advance(&playback, now: now)
      }
    }

    /// Sends `count` blocks of this length in real time.
    mutating func send(_ count: Int, milliseconds: Int) {
      for block in 0..<count {
        line.add(
          "block \(block)", [Int16](repeating: Int16(block + 1), count: milliseconds * 8), now: now)
        run(milliseconds: milliseconds)
      }
    }
  }

  @Test(arguments: [20, 40, 100, 200, 500])
  func eachBlockComesBackWithItsSamples(milliseconds: Int) {
    var rig = Rig()
    rig.send(6, milliseconds: milliseconds)
    rig.run(milliseconds: 2500)
    #expect(rig.out.map(\.item) == (0..<6).map { "block \($0)" })
    for (number, piece) in rig.out.enumerated() {
      #expect(
        piece.samples == [Int16](repeating: Int16(number + 1), count: milliseconds * 8))
    }
    #expect(rig.line.isEmpty)
  }

  @Test func aBlockLeavesAfterTheDelay() {
    var rig = Rig()
    rig.send(6, milliseconds: 20)
    #expect(rig.out.isEmpty)
    rig.send(2, milliseconds: 20)
    #expect(rig.out.count >= 1 && rig.out.count <= 2)
  }

  @Test func anItemFollowsTheSoundBefore() {
    var rig = Rig()
    rig.line.add("first")
    rig.send(2, milliseconds: 20)
    rig.line.add("commit")
    rig.line.add("create")
    rig.run(milliseconds: 300)
    #expect(rig.out.map(\.item) == ["first", "block 0", "block 1", "commit", "create"])
    // Nothing is on its way any more.
    rig.line.add("alone")
    rig.run(milliseconds: 10)
    #expect(rig.out.last?.item == "alone")
  }

  @Test func soundThatComesAtOnceIsHeldBackToRealTime() {
    var rig = Rig()
    rig.line.add("file", [Int16](repeating: 7, count: 40_000), now: rig.now)
    rig.run(milliseconds: 1000)
    #expect(rig.voice.microphone.count <= 13_000)
    #expect(rig.line.isFull)
    rig.run(milliseconds: 6000)
    #expect(rig.out.map(\.samples.count) == [40_000])
  }

  @Test func longSoundLeavesInPieces() {
    var rig = Rig(longestPiece: 800)
    rig.line.add("long", [Int16](repeating: 1, count: 2000), now: rig.now)
    rig.run(milliseconds: 2000)
    #expect(rig.out.map(\.samples.count) == [800, 800, 400])
    #expect(rig.out.map(\.isFirst) == [true, false, false])
  }

  @Test func thePlaybackIsTheReferenceInStepWithTheMicrophone() {
    var rig = Rig()
    rig.playback.append([Int16](1...400))
    rig.send(3, milliseconds: 20)
    #expect(Array(rig.voice.reference.prefix(400)) == [Int16](1...400))
    #expect(rig.voice.reference.count == rig.voice.microphone.count)
    // The silence at the end of the sound takes nothing from the playback.
    rig.playback.append([9, 9, 9])
    rig.run(milliseconds: 450)
    #expect(rig.voice.microphone.count > 480)
    #expect(rig.playback.seconds > 0)
  }

  @Test func anEndLetsEverythingLeaveSoon() {
    var rig = Rig()
    rig.send(1, milliseconds: 20)
    rig.line.flush()
    rig.run(milliseconds: 100)
    #expect(rig.out.count == 1)
  }
}
