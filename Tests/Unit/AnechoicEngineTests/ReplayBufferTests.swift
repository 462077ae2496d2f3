import Testing

@testable import AnechoicEngine

struct ReplayBufferTests {
  private static let hop = 160

  /// A buffer of a microphone and a reference whose samples are their own indexes, in units of 16
  /// bits.
  private struct Call: ~Copyable {
    var replay = ReplayBuffer(hop: hop, channelCount: 2)
    private(set) var frames = 0

    /// Adds a frame, with a reference that is later by a number of samples.
    mutating func add(delay: Int = 0, learns: Bool = true) {
      let first = frames * hop
      replay.append(reference: (0..<hop).map { unit(first + $0 - delay) }, learns: learns)
      for channel in 0..<2 {
        replay.append(
          microphone: (0..<hop).map { unit(first + $0) * (channel == 0 ? 1 : -1) },
          channel: channel)
      }
      frames += 1
    }
  }

  private static func unit(_ sample: Int) -> Float { Float(max(0, sample)) / 32767 }

  /// Learns from the next frame, and returns the sample indexes of its microphone and its
  /// reference.
  private func next(_ replay: inout ReplayBuffer) -> (microphone: Int, reference: Int, learns: Bool)
  {
    let next = replay.popNext()
    let reference = Int((next.reference[Self.hop - 1] * 32767).rounded())
    let first = replay.microphone(of: next.frame, channel: 0)[Self.hop - 1]
    let second = replay.microphone(of: next.frame, channel: 1)[Self.hop - 1]
    #expect(first == -second)
    return (Int((first * 32767).rounded()), reference, next.learns)
  }

  @Test(arguments: [160, 401, 5600], [30, 100, 190])
  func eachFrameComesOnceWithTheReferenceOfItsEcho(delay: Int, count: Int) {
    var call = Call()
    for _ in 0..<count { call.add() }
    let begins = call.replay.start(delay: delay)
    #expect(begins)
    var last: Int?
    var learned = 0
    while call.replay.isReplaying {
      // The first frame fades to the new place of the reference, which is not kept.
      call.add(delay: learned == 0 ? 77 : delay)
      for _ in 0..<ReplayBuffer.framesPerStep where call.replay.isReplaying {
        let frame = next(&call.replay)
        #expect(frame.reference == max(0, frame.microphone - delay))
        if let last { #expect(frame.microphone == last + Self.hop) }
        last = frame.microphone
        learned += 1
      }
    }
    #expect(last == call.frames * Self.hop - 1)
    #expect(learned >= min(count, 75))
  }

  @Test func aLongDelayLeavesWhatTheReferenceReaches() {
    var call = Call()
    for _ in 0..<150 { call.add() }
    let begins = call.replay.start(delay: 14_400)
    #expect(begins)
    call.add()
    let frame = next(&call.replay)
    #expect(frame.reference == frame.microphone - 14_400)
    var late = Call()
    for _ in 0..<150 { late.add() }
    let beginsLate = late.replay.start(delay: 17_000)
    #expect(!beginsLate)
  }

  @Test(arguments: [(5, 3200), (100, 159), (100, -3200)])
  func thereIsNothingToLearnFromAShortPastOrAReferenceThatComesSooner(count: Int, delay: Int) {
    var call = Call()
    for _ in 0..<count { call.add() }
    let begins = call.replay.start(delay: delay)
    let isReplaying = call.replay.isReplaying
    #expect(!begins && !isReplaying)
  }

  @Test func aFrameThatIsNotToBeLearnedStaysSo() {
    var call = Call()
    for frame in 0..<20 { call.add(learns: frame != 3) }
    let begins = call.replay.start(delay: 320)
    #expect(begins)
    call.add()
    for frame in 0..<20 {
      let learns = next(&call.replay).learns
      #expect(learns == (frame != 3))
    }
  }

  @Test func nothingIsLeftAfterwards() {
    var call = Call()
    for _ in 0..<50 { call.add() }
    _ = call.replay.start(delay: 320)
    call.replay.clear()
    let isReplaying = call.replay.isReplaying
    #expect(!isReplaying)
    let begins = call.replay.start(delay: 320)
    #expect(!begins)
  }
}
