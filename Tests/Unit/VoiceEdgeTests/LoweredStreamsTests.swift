import EdgeAudio
import Testing

@testable import VoiceEdge

/// The rule that lowers the streams of other programs.
struct LoweredStreamsTests {
  private var rule = LoweredStreams(ownProcess: 7)

  private func stream(
    _ index: UInt32, _ volume: [UInt32] = [65536, 40000], identity: String = "music",
    role: String = "music", process: Int32? = 8
  ) -> ProgramStream {
    ProgramStream(
      index: index, identity: identity, role: role, process: process, volume: volume)
  }

  @Test func aStreamIsLoweredInProportionAndRestoredExactly() {
    var rule = rule
    let lowered = rule.changes([stream(1)], gain: -18)
    // 18 dB are a third of an octave less than half: 10^(-18/60).
    #expect(lowered == [.init(index: 1, volume: [32846, 20047])])
    let restored = rule.changes([stream(1, lowered[0].volume)], gain: nil)
    #expect(restored == [.init(index: 1, volume: [65536, 40000])])
    #expect(rule.memory.isEmpty)
  }

  @Test func aLoweredStreamIsNotLoweredAgain() {
    var rule = rule
    let lowered = rule.changes([stream(1)], gain: -12)[0].volume
    #expect(rule.changes([stream(1, lowered)], gain: -12).isEmpty)
    let lower = rule.changes([stream(1, lowered)], gain: -30)[0].volume
    #expect(lower == LoweredStreams.volume([65536, 40000], -30))
  }

  @Test(arguments: ["event", "Notification", "a11y", "phone", "Communication"])
  func notificationsAndCallsKeepTheirVolume(role: String) {
    var rule = rule
    #expect(rule.changes([stream(1, role: role)], gain: -12).isEmpty)
  }

  @Test func theAgentsOwnStreamsKeepTheirVolume() {
    var rule = rule
    let streams = [stream(1, process: 7), stream(2, process: nil)]
    #expect(rule.changes(streams, gain: -12).map(\.index) == [2])
  }

  @Test func anOriginalThatIsChangedByHandIsRestoredInProportion() {
    var rule = rule
    _ = rule.changes([stream(1, [60000])], gain: -18)
    // The person has made everything quieter by half.
    let half = LoweredStreams.volume([30000], -18)
    #expect(rule.changes([stream(1, half)], gain: -18).isEmpty)
    let restored = rule.changes([stream(1, half)], gain: nil)
    #expect(abs(Int(restored[0].volume[0]) - 30000) <= 2)
  }

  @Test func aStreamThatAPersonMakesLouderIsLeftAlone() {
    var rule = rule
    _ = rule.changes([stream(1, [65536])], gain: -18)
    #expect(rule.changes([stream(1, [65000])], gain: -18).isEmpty)
    #expect(rule.changes([stream(1, [65000])], gain: -30).isEmpty)
    #expect(rule.changes([stream(1, [65000])], gain: nil).isEmpty)
    #expect(rule.changes([stream(1, [65000])], gain: -18).map(\.index) == [1])
  }

  @Test func theSuccessorOfALoweredStreamGetsTheOriginalVolume() {
    var rule = rule
    let lowered = rule.changes([stream(1)], gain: -12)[0].volume
    #expect(rule.changes([], gain: -12).isEmpty && rule.ended.map(\.index) == [1])
    // The server remembers the lowered volume for the next stream of the same program.
    #expect(rule.changes([stream(2, lowered)], gain: -12).isEmpty)
    let restored = rule.changes([stream(2, lowered)], gain: nil)
    #expect(restored == [.init(index: 2, volume: [65536, 40000])])
    #expect(rule.memory.isEmpty)
  }

  @Test func anotherVolumeOrProgramIsNoSuccessor() {
    var rule = rule
    let lowered = rule.changes([stream(1)], gain: -12)[0].volume
    _ = rule.changes([], gain: nil)
    #expect(rule.changes([stream(2, lowered, identity: "film")], gain: nil).isEmpty)
    #expect(rule.changes([stream(3, [50000, 50000])], gain: nil).isEmpty)
    #expect(rule.changes([stream(4, [lowered[0]])], gain: nil).isEmpty)
    #expect(rule.changes([stream(5, lowered)], gain: nil).count == 1)
  }

  @Test func theNextRunRestoresWhatAKilledRunHasLowered() {
    var killed = rule
    // In the middle of a change, the volume is anywhere between both ends.
    _ = killed.changes([stream(1)], gain: -4, target: -12)
    var rule = LoweredStreams(ownProcess: 9, ended: killed.memory)
    let between = LoweredStreams.volume([65536, 40000], -7)
    #expect(
      rule.changes([stream(1, between)], gain: nil)
        == [.init(index: 1, volume: [65536, 40000])])
  }

  @Test func theMemoryIsBounded() {
    var rule = rule
    for index in 0..<200 as Range<UInt32> {
      _ = rule.changes([stream(index, identity: "\(index)")], gain: -12)
    }
    #expect(rule.memory.count == LoweredStreams.mostEnded + 1)
  }

  @Test func streamsWithTheSameNumberAreNoError() {
    var rule = rule
    _ = rule.changes([stream(1), stream(1, identity: "b")], gain: -12)
    _ = rule.changes([stream(1), stream(1, identity: "b")], gain: nil)
    _ = rule.changes([], gain: nil)
    #expect(rule.entries.isEmpty)
  }
}

/// The way of the gain to its target.
struct GainRampTests {
  private func steps(from start: Float?, to end: Float?) -> [Float?] {
    var ramp = GainRamp()
    ramp.start(to: start)
    while ramp.isMoving { ramp.advance() }
    ramp.start(to: end)
    var gains: [Float?] = []
    while ramp.isMoving {
      ramp.advance()
      gains.append(ramp.gain)
    }
    return gains
  }

  @Test func itGoesDownWithin100ms() {
    let gains = steps(from: nil, to: -30).map { $0 ?? 1 }
    #expect(gains.count == 5 && gains.last == -30)
    #expect(gains == gains.sorted(by: >))
  }

  @Test func itGoesUpWithin1s() {
    for end in [-4, nil] as [Float?] {
      let gains = steps(from: -30, to: end)
      #expect((49...51).contains(gains.count) && gains.last == end)
    }
  }

  @Test func itTurnsOnItsWay() {
    var ramp = GainRamp()
    ramp.start(to: -20)
    ramp.advance()
    ramp.start(to: nil)
    while ramp.isMoving { ramp.advance() }
    #expect(ramp.gain == nil)
    ramp.start(to: 0)
    while ramp.isMoving { ramp.advance() }
    #expect(ramp.gain == 0)
  }
}
