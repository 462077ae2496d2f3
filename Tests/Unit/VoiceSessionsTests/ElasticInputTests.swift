import AudioCore
import Foundation
import TestAudio
import Testing

@testable import VoiceSessions

/// The elastic inputs of the playback in virtual time, with a sender and a reader that takes a
/// frame of 10 ms at a time.
struct ElasticInputTests {
  private static let size = 160

  @Test func anInputInStepComesOutUnchanged() throws {
    let line = try Line()
    let noise = Signals.noise(500 * Self.size)
    for frame in 0..<500 {
      try line.send(Array(noise[frame * Self.size..<(frame + 1) * Self.size]))
      line.read()
    }
    #expect(line.played == noise)
    #expect(line.buffer == SessionStatistics.Buffer(delay: .zero, target: .zero))
  }

  @Test(arguments: [25, 50, 100, 200, 400])
  func aBacklogIsReadAwayWithinTwoSeconds(stallFrames: Int) throws {
    let line = try Line()
    try line.run(frames: 300)
    line.read(frames: stallFrames)
    try line.sendTone(frames: stallFrames)
    try line.run(frames: 200)
    for _ in 0..<300 {
      #expect(line.waiting <= 2 * Self.size)
      try line.run(frames: 1)
    }
    let buffer = try #require(line.buffer)
    #expect(buffer.delay - buffer.target <= .milliseconds(20))
  }

  /// Stalls of up to a second: only those that exceed jitter, or of any length.
  @Test(arguments: [25, 1])
  func aThousandStallsLeaveNoDelayBehind(shortest: Int) throws {
    let line = try Line()
    line.keepsPlayed = false
    var random = SeededGenerator(seed: 1)
    try line.run(frames: 300)
    var longest = 0
    for _ in 0..<1000 {
      let stall = Int.random(in: shortest...100, using: &random)
      line.read(frames: stall)
      try line.sendTone(frames: stall)
      try line.run(frames: Int.random(in: 200...300, using: &random))
      longest = max(longest, line.waiting)
    }
    // Short stalls count as jitter, which the target follows.
    #expect(longest <= (shortest == 1 ? 24 : 3) * Self.size)
    try line.run(frames: 1500)
    #expect(line.waiting <= 2 * Self.size)
  }

  /// Stalls of up to two seconds. Some begin while the session still removes the backlog of
  /// another. Chunks have any length.
  @Test(arguments: [1, 2, 10, 30], [1, 15, 55, 60, 84] as [UInt64])
  func stallsInAnyOrderLeaveNoDelayBehind(chunk: Int, seed: UInt64) throws {
    let line = try Line()
    line.keepsPlayed = false
    var random = SeededGenerator(seed: seed)
    var owed = 0
    func run(frames: Int, isStalled: Bool = false) throws {
      for _ in 0..<frames {
        owed += 1
        if !isStalled, owed >= chunk {
          try line.sendTone(frames: owed)
          owed = 0
        }
        line.read()
      }
    }
    try run(frames: 300)
    for _ in 0..<100 {
      let longest = min(200, 450 - line.waiting / Self.size)
      try run(frames: Int.random(in: 1...longest, using: &random), isStalled: true)
      try run(frames: Int.random(in: 1...150, using: &random))
    }
    try run(frames: 1500)
    for _ in 0..<100 {
      #expect(line.waiting <= (chunk + 2) * Self.size)
      try run(frames: 1)
    }
  }

  /// A sender that is later after a stall is in step again nevertheless.
  @Test(arguments: [10, 30, 80])
  func aLaterSenderLeavesNoDelayBehind(later: Int) throws {
    let line = try Line()
    try line.run(frames: 300)
    line.read(frames: 100)
    try line.sendTone(frames: 100)
    line.read(frames: later)
    try line.run(frames: 1500)
    #expect(line.waiting <= 2 * Self.size)
  }

  /// A sender that is ahead on purpose stays ahead. A stall that it bridges changes nothing.
  @Test func aSenderKeepsItsLead() throws {
    let line = try Line()
    try line.sendTone(frames: 100)
    try line.run(frames: 1500)
    line.read(frames: 80)
    try line.sendTone(frames: 80)
    try line.run(frames: 1500)
    #expect(line.waiting == 100 * Self.size)
    line.read(frames: 200)
    try line.sendTone(frames: 200)
    try line.run(frames: 300)
    #expect(abs(line.waiting - 100 * Self.size) <= 2 * Self.size)
  }

  @Test(arguments: [-1000.0, -100, 100, 1000])
  func theSendersClockIsFollowed(ppm: Double) throws {
    let line = try Line()
    line.keepsPlayed = false
    var sent = 0
    var dryFrames = 0
    for frame in 1...60_000 {
      let due = Int(Double(frame) * (1 + ppm * 1e-6))
      while sent < due {
        try line.sendTone(frames: 1)
        sent += 1
      }
      if frame > 6000 {
        if line.waiting < Self.size { dryFrames += 1 }
        #expect(line.waiting <= 6 * Self.size)
      }
      line.read()
    }
    // Without jitter, the buffer has no margin before the first underrun.
    #expect(dryFrames <= 1)
  }

  @Test func theTargetFollowsTheJitter() throws {
    let line = try Line()
    var random = SeededGenerator(seed: 2)
    var owed = 0
    var dryFrames = 0
    func send(isCalm: Bool) throws {
      owed += 1
      // A frame is up to 60 ms late, and so are the frames that wait behind it.
      guard isCalm || owed > 6 || random.next() % 3 == 0 else { return }
      try line.sendTone(frames: owed)
      owed = 0
    }
    for frame in 0..<6000 {
      try send(isCalm: false)
      if frame > 1000, line.waiting < Self.size { dryFrames += 1 }
      line.read()
    }
    let target = try #require(line.buffer).target
    #expect(dryFrames <= 2)
    #expect(target >= .milliseconds(50) && target <= .milliseconds(90))
    for _ in 0..<3000 {
      try send(isCalm: true)
      line.read()
    }
    #expect(line.waiting <= 2 * Self.size)
  }

  @Test func aToneKeepsItsPitchItsLevelAndItsSmoothness() throws {
    let line = try Line()
    try line.run(frames: 300)
    line.read(frames: 100)
    try line.sendTone(frames: 100)
    try line.run(frames: 200)
    // Begins where the sound is back and faded in.
    let played = Array(line.played[401 * Self.size..<600 * Self.size])
    let crossings = zip(played, played.dropFirst()).filter { $0 < 0 && $1 >= 0 }.count
    let seconds = Double(played.count) / 16_000
    #expect(abs(Double(crossings) / seconds / Line.pitch - 1) < 0.01)
    let steps = zip(played, played.dropFirst()).map { abs($0 - $1) }
    #expect(try #require(steps.max()) <= Line.largestStep * 1.05)
    for first in stride(from: 0, to: played.count - 800, by: 800) {
      #expect(abs(level(played[first..<first + 800]) - line.toneLevel) < 1)
    }
  }

  @Test func noiseKeepsItsLevel() throws {
    let line = try Line()
    let noise = Signals.noise(700 * Self.size, amplitude: 0.3, seed: 4)
    func part(_ frames: Range<Int>) -> [Float] {
      Array(noise[frames.lowerBound * Self.size..<frames.upperBound * Self.size])
    }
    for frame in 0..<300 {
      try line.send(part(frame..<frame + 1))
      line.read()
    }
    line.read(frames: 100)
    try line.send(part(300..<400))
    for frame in 400..<600 {
      try line.send(part(frame..<frame + 1))
      line.read()
    }
    #expect(line.waiting <= 2 * Self.size)
    let played = line.played[401 * Self.size..<600 * Self.size]
    #expect(abs(level(played) - level(noise[...])) < 1)
  }

  /// A prompt is sent at once and heard at its own speed.
  @Test(arguments: [50, 100, 300])
  func samplesSentAheadAreNotHurried(frames: Int) throws {
    let line = try Line()
    for prompt in 0..<4 {
      let noise = Signals.noise(frames * Self.size, seed: UInt32(prompt))
      let chunk = 100 * Self.size
      for first in stride(from: 0, to: noise.count, by: chunk) {
        try line.send(Array(noise[first..<min(first + chunk, noise.count)]))
      }
      line.played = []
      line.read(frames: frames + 100)
      let faded = prompt == 0 ? 0 : 80
      #expect(Array(line.played[faded..<noise.count]) == Array(noise[faded...]))
    }
  }

  @Test func everyGapIsFadedOnBothEnds() throws {
    let line = try Line()
    let loud = [Float](repeating: 0.5, count: Self.size)
    for _ in 0..<20 {
      try line.send(loud)
      line.read()
    }
    for _ in 0..<5 { line.read() }
    for _ in 0..<20 {
      try line.send(loud)
      line.read()
    }
    #expect(line.played.contains(0))
    #expect(zip(line.played, line.played.dropFirst()).allSatisfy { abs($0 - $1) < 0.5 / 79 })
  }

  @Test func underTheMediaClockEachSampleIsReadInItsTurn() throws {
    let line = try Line(isElastic: false)
    let noise = Signals.noise(500 * Self.size)
    try line.send(Array(noise[..<(100 * Self.size)]))
    line.read(frames: 200)
    try line.send(Array(noise[(100 * Self.size)..<(200 * Self.size)]))
    line.read(frames: 300)
    #expect(line.buffer == nil)
    #expect(Array(line.played[..<(100 * Self.size)]) == Array(noise[..<(100 * Self.size)]))
    let late = Array(line.played[(200 * Self.size + 80)..<(300 * Self.size)])
    #expect(late == Array(noise[(100 * Self.size + 80)..<(200 * Self.size)]))
  }
}

/// An input and its sender.
private final class Line {
  static let pitch = 200.0
  static let largestStep = Float(2 * Double.pi * pitch / 16_000 * 0.5)

  var input: PlaybackInput
  var played: [Float] = []
  var keepsPlayed = true
  private let mix = Frame(rate: .hz16000, channelCount: 1)
  /// 10 ms contain a whole number of periods.
  private let tone = (0..<160).map {
    0.5 * Float(sin(2 * Double.pi * Line.pitch * Double($0) / 16_000))
  }
  private let toneBytes: [UInt8]

  init(isElastic: Bool = true) throws {
    input = try PlaybackInput(
      .f32(.hz16000), playback: .f32(.hz16000), isElastic: isElastic)
    toneBytes = encode([tone], .f32)
  }

  var waiting: Int { input.timeline.waiting }
  var buffer: SessionStatistics.Buffer? { input.buffer }
  var toneLevel: Float { level(tone[...]) }

  func send(_ samples: [Float]) throws { try send(encode([samples], .f32)) }

  func sendTone(frames: Int) throws {
    for _ in 0..<frames { try send(toneBytes) }
  }

  private func send(_ bytes: [UInt8]) throws {
    try bytes.withUnsafeBytes { _ = try input.append(.encoded($0), firstSample: nil) }
  }

  /// Sends and reads in step.
  func run(frames: Int) throws {
    for _ in 0..<frames {
      try sendTone(frames: 1)
      read()
    }
  }

  func read(frames: Int = 1) {
    for _ in 0..<frames {
      input.advance()
      guard keepsPlayed else { continue }
      mix.clear()
      input.add(to: mix)
      played += mix.plane(0)
    }
  }
}
