import GRPCTransport
import Testing

@testable import VoiceServer

/// The amount of audio that a client may send, on a virtual clock.
struct RealTimePacerTests {
  @Test func aClientMayBeHalfASecondAhead() {
    var line = Line()
    line.take(.zero)
    #expect(line.take(.milliseconds(500)) == nil)
    #expect(line.take(.milliseconds(510)) == .milliseconds(10))
    line.pass(.milliseconds(10))
    #expect(line.take(.milliseconds(510)) == nil)
  }

  @Test func audioMissedInAStallIsReadAtOnce() {
    var line = Line()
    line.runInStep(to: .seconds(10))
    line.pass(.seconds(3))
    #expect(line.take(.seconds(13)) == nil)
    // The lead is available as before.
    #expect(line.take(.milliseconds(13_500)) == nil)
    #expect(line.take(.milliseconds(13_550)) == .milliseconds(50))
  }

  @Test(arguments: [30, 31, 3600, 1_000_000])
  func noMoreThanThirtySecondsAreMadeGood(stall: Int) {
    var line = Line()
    line.take(.zero)
    line.pass(.seconds(stall))
    #expect(line.take(.milliseconds(30_500)) == nil)
    #expect(line.take(.milliseconds(30_510)) == .milliseconds(10))
  }

  /// A client that begins with 2 s of older audio is up to date after 6 s. One that has caught up is
  /// not held back any more.
  @Test func olderAudioIsReadFasterThanRealTime() throws {
    var line = Line()
    line.take(.zero)
    var taken = Duration.zero
    while taken < line.now + .seconds(2), line.now < .seconds(20) {
      taken += .milliseconds(10)
      if let delay = line.take(taken) { line.pass(delay) }
    }
    #expect(line.now > .seconds(5))
    #expect(line.now < .milliseconds(6500))
    for _ in 0..<1000 {
      line.pass(.milliseconds(10))
      taken += .milliseconds(10)
      #expect(line.take(taken) == nil)
    }
  }

  /// A client that always sends faster than real time gains the older audio once.
  @Test func noMoreThanTwoSecondsOfOlderAudioAreReadFaster() {
    var line = Line()
    line.take(.zero)
    var taken = Duration.zero
    while line.now < .seconds(60) {
      taken += .milliseconds(10)
      if let delay = line.take(taken) { line.pass(delay) }
    }
    #expect(taken - line.now * 1.001 > .milliseconds(2490))
    #expect(taken - line.now * 1.001 <= .milliseconds(2510))
  }

  /// A client is never ahead of real time by more than the lead, the older audio and the tolerance. Within
  /// any time, it gains at most the length of a stall.
  @Test func noClientRunsFasterThanRealTimeForLong() {
    var random = SystemRandomNumberGenerator()
    var line = Line()
    line.take(.zero)
    var taken = Duration.zero
    for _ in 0..<10_000 {
      if Int.random(in: 0..<100, using: &random) == 0 {
        line.pass(.milliseconds(Int.random(in: 0..<60_000, using: &random)))
      }
      taken += .milliseconds(10)
      if let delay = line.take(taken) { line.pass(delay) }
      #expect(taken - line.now * 1.001 <= .milliseconds(2510))
    }
  }

  @Test(arguments: [-1000, 0, 1000])
  func aDriftingMicrophoneIsNeverHeldBack(partsPerMillion: Int) {
    var line = Line()
    line.take(.zero)
    // A day in steps of one second.
    for second in 1...86_400 {
      line.pass(.seconds(1))
      let media = Duration.nanoseconds(
        Int64(second) * (1_000_000_000 + Int64(partsPerMillion) * 1000))
      #expect(line.take(media) == nil)
    }
  }

  @Test(arguments: [-1000, 0, 1000])
  func theLeadDoesNotGrowWithTheAgeOfTheSession(partsPerMillion: Int) {
    var line = Line()
    var media = Duration.zero
    for _ in 1...86_400 {
      line.pass(.seconds(1))
      media += .microseconds(1_000_000 + partsPerMillion)
      line.take(media)
    }
    let delay = line.take(media + .milliseconds(550))
    #expect(delay.map { (.milliseconds(49) ... .milliseconds(51)).contains($0) } == true)
  }
}

/// A pacer with a virtual clock.
private struct Line {
  private let start = ContinuousClock.now
  private(set) var now = Duration.zero
  private var pacer = RealTimePacer()

  mutating func pass(_ time: Duration) { now += time }

  /// Tells the pacer that the media up to this time has been processed.
  @discardableResult
  mutating func take(_ media: Duration) -> Duration? {
    pacer.delay(media: media.nanoseconds, now: start + now)
  }

  /// Advances time and media together in frames of 10 ms, from the start.
  mutating func runInStep(to end: Duration) {
    while now < end {
      take(now)
      pass(.milliseconds(10))
    }
    take(end)
  }
}
