import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// An input that is to be heard: late audio is played.
struct InputTimelineTests {
  @Test func punctualSamplesAreTakenAtTheirPosition() throws {
    var player = Player()
    try player.send(count: 320, of: 0.1, at: 0)
    #expect(player.take() == 0.1)
    #expect(player.take() == 0.1)
    #expect(player.take() == 0)
  }

  @Test func lateSamplesAreTakenNext() throws {
    var player = Player()
    for _ in 0..<50 { _ = player.take() }
    try player.send(count: 160, of: 0.1, at: 0)
    #expect(player.take() == 0.1)
    for _ in 0..<7 { _ = player.take() }
    try player.send(count: 160, of: 0.2, at: 160)
    #expect(player.take() == 0.2)
  }

  @Test func lateSamplesOfTheMicrophoneAreDropped() throws {
    var player = Player(.dropped)
    _ = player.take()
    try player.send(count: 160, of: 0.1, at: 0)
    #expect(player.take() == 0)
  }

  @Test func samplesThatWereHeardAreNotHeardTwice() throws {
    var player = Player()
    try player.send(count: 160, of: 0.1, at: 0)
    _ = player.take()
    _ = player.take()
    try player.send(count: 160, of: 0.9, at: 0)
    try player.send(count: 160, of: 0.2, at: 160)
    #expect(player.take() == 0.2)
    #expect(player.take() == 0)
  }

  @Test func aGapIsSilenceAndCounted() throws {
    var player = Player()
    try player.send(count: 160, of: 0.1, at: 0)
    #expect(try player.send(count: 160, of: 0.2, at: 480) == 320)
    #expect((0..<5).map { _ in player.take() } == [0.1, 0, 0, 0.2, 0])
  }

  /// A far end that is silent for a while sends nothing, and continues at the index of its clock.
  @Test func silenceThatWasHeardAlreadyIsNotHeardAgain() throws {
    var player = Player()
    try player.send(count: 160, of: 0.1, at: 0)
    #expect(player.take() == 0.1)
    for _ in 0..<100 { #expect(player.take() == 0) }
    let missing = try player.send(count: 160, of: 0.2, at: 101 * 160)
    #expect(missing == 100 * 160)
    #expect(player.take() == 0.2)
    for _ in 0..<40 { _ = player.take() }
    // Ten frames too late: all but ten of the fifty missing frames have been played as silence.
    try player.send(count: 160, of: 0.3, at: 152 * 160)
    #expect((0..<11).map { _ in player.take() } == [Float](repeating: 0, count: 10) + [0.3])
  }

  @Test func missingAudioBeginsWithAFade() throws {
    var player = Player()
    try player.send(count: 160, of: 0.5, at: 0)
    _ = player.take()
    let fade = player.takeFrame()
    #expect(zip([0.5] + fade, fade).allSatisfy { $0 >= $1 && $0 - $1 < 0.5 / 79 })
    #expect(fade[79...].allSatisfy { $0 == 0 } && fade[78] > 0)
  }

  @Test func clearingKeepsAFadeAndForgetsTheRest() throws {
    var player = Player()
    try player.send(count: 1600, of: 1, at: 0)
    _ = player.take()
    player.timeline.clear()
    let fade = player.takeFrame()
    #expect(zip(fade[..<80], fade[1..<80]).allSatisfy { $0 > $1 } && fade[0] > 0.95)
    #expect(fade[79...].allSatisfy { $0 == 0 })
    try player.send(count: 160, of: 0.5, at: 1600)
    #expect(player.take() == 0.5)
    player.timeline.clear()
    #expect(player.take() == 0)
  }

  /// The samples that nobody takes meanwhile count as if they had never come, except the newest.
  @Test func aRestingInputIsInStepWhenItsSamplesAreTakenAgain() throws {
    var player = Player()
    try player.send(count: 160, of: 0.1, at: 0)
    #expect(player.take() == 0.1)
    player.timeline.rest()
    for block in 1...700 { try player.send(count: 160, of: 0.2, at: Int64(160 * block)) }
    #expect(player.timeline.waiting <= 160 + 80)
    try player.send(count: 160, of: 0.3, at: 701 * 160)
    // The fade of what was left out comes first.
    #expect(player.take() == 0.3)
    #expect(player.timeline.waiting == 80)
    for block in 702..<710 {
      try player.send(count: 160, of: 0.4, at: Int64(160 * block))
      #expect(player.take() == 0.4)
    }
    #expect(player.timeline.waiting == 80)
  }

  /// The rest of a prompt that was sent ahead of its time, or a reference that is ahead.
  @Test func whatWaitedBeforeARestIsKept() throws {
    var player = Player()
    for block in 0..<20 { try player.send(count: 160, of: 0.1, at: Int64(160 * block)) }
    #expect(player.take() == 0.1)
    player.timeline.rest()
    for block in 20..<700 { try player.send(count: 160, of: 0.2, at: Int64(160 * block)) }
    #expect((19 * 160...20 * 160 + 80).contains(player.timeline.waiting))
    for _ in 0..<19 { #expect(player.take() == 0.1) }
  }

  @Test func anImpossibleIndexStaysImpossibleAfterARest() throws {
    var player = Player()
    player.timeline.rest()
    for block in 0..<10 { try player.send(count: 160, of: 0.2, at: Int64(160 * block)) }
    for index in [Int64.min, -1, 1600 + 160_001, .max] {
      #expect(throws: InputError.impossiblePosition(index, expected: 1600)) {
        try player.send(count: 160, of: 0.2, at: index)
      }
      let isBefore = player.timeline.isIndex(index, before: 100)
      #expect(!isBefore)
    }
  }

  private struct Player: ~Copyable {
    var timeline: InputTimeline
    private let frame = Frame(rate: .hz16000, channelCount: 1)

    init(_ lateness: InputTimeline.Lateness = .takenNext) {
      timeline = InputTimeline(format: .f32(.hz16000), lateness: lateness)
    }

    @discardableResult
    mutating func send(count: Int, of value: Float, at sample: Int64) throws -> Int64 {
      let bytes = encode([[Float](repeating: value, count: count)], .f32)
      return try bytes.withUnsafeBytes { bytes throws(InputError) in
        try timeline.append(bytes, firstSample: sample)
      }
    }

    mutating func takeFrame() -> [Float] {
      timeline.read(into: frame)
      return Array(frame.plane(0))
    }

    /// Returns the next frame's last sample, because missing audio begins with a fade.
    mutating func take() -> Float { takeFrame()[159] }
  }
}
