import Testing

@testable import VoiceServer

/// The delay of a microphone behind real time, on a virtual clock.
struct InputLagTests {
  @Test func aStallIsLateUntilItIsMadeGood() throws {
    var line = Line()
    for _ in 0..<500 { #expect(line.arrive() == nil) }
    line.stall(.seconds(3))
    #expect(try #require(line.value) > .milliseconds(2980))
    // The frames of the stall arrive together. The first one is late, and the last one is not.
    #expect(line.arriveAtOnce() == true)
    var changes: [Bool] = []
    for _ in 0..<299 {
      if let change = line.arriveAtOnce() { changes.append(change) }
    }
    #expect(changes == [false])
    // The expected lag is 2,900 ms of the three seconds, minus the frame that was due at the end of
    // each.
    #expect((46_000...46_720).contains(line.lag.lateSamples), "\(line.lag.lateSamples)")
    #expect(try #require(line.value) < .milliseconds(30))
  }

  @Test func missingAudioCountsAsLateForASecond() throws {
    var line = Line()
    for _ in 0..<500 { _ = line.arrive() }
    line.stall(.seconds(3))
    var changes: [Bool] = []
    for _ in 0..<300 {
      if let change = line.arrive() { changes.append(change) }
    }
    #expect(changes == [true, false])
    #expect(try #require(line.value) < .milliseconds(20))
  }

  @Test(arguments: [-1000, -100, 100, 1000])
  func aDriftingClockIsNotLate(partsPerMillion: Int64) throws {
    var line = Line()
    for _ in 0..<30_000 {
      #expect(line.arrive(after: .nanoseconds(10_000_000 + 10 * partsPerMillion)) == nil)
    }
    #expect(line.lag.lateSamples == 0)
    #expect(try #require(line.value) < .milliseconds(20))
  }

  @Test func nothingIsKnownBeforeTheFirstArrival() {
    #expect(InputLag().value(at: .now) == nil)
  }
}

/// A lag meter with a virtual clock.
private struct Line {
  private let start = ContinuousClock.now
  private(set) var lag = InputLag()
  private var now = Duration.zero
  private var media: Int64 = 0

  var value: Duration? { lag.value(at: start + now) }

  mutating func stall(_ time: Duration) { now += time }

  mutating func arrive(after time: Duration = .milliseconds(10)) -> Bool? {
    now += time
    return arriveAtOnce()
  }

  mutating func arriveAtOnce() -> Bool? {
    media += 10_000_000
    return lag.record(media: media, samples: 160, now: start + now)
  }
}
