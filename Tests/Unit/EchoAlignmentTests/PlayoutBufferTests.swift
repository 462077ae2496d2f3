import AudioCore
import EchoAlignment
import TestAudio
import Testing

struct PlayoutBufferTests {
  @Test(arguments: [-500.0, 500])
  func clocksMayDifferForTenMinutes(partsPerMillion: Double) throws {
    let run = DriftingPlayout(partsPerMillion: partsPerMillion, jitter: 0.005, seconds: 600)
    let seconds = run.run()
    let settled = seconds.dropFirst(60)
    #expect(seconds.last?.underruns == seconds[5].underruns)
    #expect(seconds.last?.skipped == seconds[5].skipped)
    let (least, most) = (
      settled.map(\.leastLevel).min() ?? 0, settled.map(\.mostLevel).max() ?? 0
    )
    #expect(least > 2 && most < 45, "\(least) \(most)")
    // There is no click: 1 dB of a sine is 12 %.
    let jump = seconds.dropFirst(5).map(\.largestJump).max() ?? 1
    #expect(jump < DriftingPlayout.jumpOfTheSine * 1.122, "\(jump)")
    let early = seconds[60..<120].map(\.mostLevel).max() ?? 0
    let late = seconds[540...].map(\.mostLevel).max() ?? 0
    #expect(late < early + 2, "\(early) \(late)")
  }

  @Test func burstsArePlayedWithoutClicksOrMuchDelay() {
    // Each 40 ms arrive together.
    let seconds = DriftingPlayout(seconds: 120).run { ($0 / 0.04).rounded(.up) * 0.04 }
    let jump = seconds.dropFirst(20).map(\.largestJump).max() ?? 1
    #expect(jump < DriftingPlayout.jumpOfTheSine * 1.122, "\(jump)")
    #expect((seconds.last?.mostLevel ?? 1000) < 120, "\(seconds.last?.mostLevel ?? 0)")
  }

  @Test func playbackContinuesAfterABreak() {
    // Nothing arrives between the tenth and the eleventh second. These frames arrive later.
    let seconds = DriftingPlayout(seconds: 30).run { $0 > 10 && $0 < 11 ? 11 : $0 }
    #expect(seconds[9].underruns == 0 && seconds[12].underruns == 1)
    #expect(seconds.last?.underruns == 1)
    // Most of the late second is skipped.
    #expect((seconds.last?.mostLevel ?? 1000) < 80, "\(seconds.last?.mostLevel ?? 0)")
    #expect((seconds.last?.skipped ?? 0) > 0)
    // The end, the beginning and the skip cause no click.
    let jump = seconds.dropFirst(1).map(\.largestJump).max() ?? 1
    #expect(jump < DriftingPlayout.jumpOfTheSine * 1.25, "\(jump)")
  }

  /// Every few seconds, a busy machine lets the writer wait for up to 300 ms.
  @Test(arguments: [-500.0, 500], [1, 2, 3] as [UInt64])
  func theDriftIsFoundOnABusyMachine(partsPerMillion: Double, seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var (nextWait, end) = (2.0, 0.0)
    let seconds = DriftingPlayout(partsPerMillion: partsPerMillion, jitter: 0.01, seconds: 120)
      .run { time in
        if time > nextWait {
          end = nextWait + Double.random(in: 0.02...0.3, using: &generator)
          nextWait = end + Double.random(in: 1...4, using: &generator)
        }
        return max(time, end)
      }
    let late = seconds.suffix(30).map(\.deviation)
    #expect(late.allSatisfy { abs($0 - partsPerMillion) < 150 }, "\(late)")
  }

  @Test func theBufferIsSilentUntilItHasAMargin() {
    var buffer = SteppedPlayout()
    let frame = Frame(rate: .hz8000, channelCount: 1)
    let output = Frame(rate: .hz8000, channelCount: 1)
    for index in 0..<80 { frame.plane(0)[index] = 0.5 }
    var isSound = buffer.read(output)
    #expect(!isSound && output.plane(0).allSatisfy { $0 == 0 })
    buffer.write(frame)
    isSound = buffer.read(output)
    #expect(!isSound)
    buffer.write(frame)
    buffer.write(frame)
    isSound = buffer.read(output)
    #expect(isSound && output.plane(0).last.map { abs($0 - 0.5) < 0.01 } == true)
    // The playback fades in.
    #expect(output.plane(0)[0] < 0.02)
    let (added, position) = (buffer.playout.status.added, buffer.playout.position)
    #expect(added == 0 && position == 80)
  }

  @Test func anUnderrunFadesOutAndIsCounted() {
    var buffer = SteppedPlayout()
    let frame = Frame(rate: .hz8000, channelCount: 1)
    let output = Frame(rate: .hz8000, channelCount: 1)
    for index in 0..<80 { frame.plane(0)[index] = 0.5 }
    for _ in 0..<6 { buffer.write(frame) }
    var samples: [Float] = []
    for _ in 0..<12 {
      buffer.read(output)
      samples += output.plane(0)
    }
    let status = buffer.playout.status
    #expect(status.underrunCount == 1)
    #expect(status.margin == 160)
    let jump = zip(samples, samples.dropFirst()).map { abs($1 - $0) }.max() ?? 1
    #expect(jump < 0.02, "\(jump)")
    #expect(samples.suffix(80).allSatisfy { $0 == 0 })
  }

  /// The position that the echo canceller gets stays exact through underruns, a skip, and other
  /// rates.
  @Test(arguments: [400, -400] as [Double])
  func insertedAndSkippedSamplesAreCountedExactly(partsPerMillion: Double) {
    var playout = DriftingPlayout(partsPerMillion: partsPerMillion, seconds: 90)
    playout.jitter = 0.004
    let seconds = playout.run { time in
      switch time {
      case 5..<5.05: 5.05  // The buffer runs dry, and then holds too much.
      case 40..<40.2: 40.2
      case 41..<41.3: 41.3
      default: time
      }
    }
    #expect(seconds.last.map { $0.underruns >= 3 && $0.skipped > 0 && $0.added != 0 } == true)
    let error = seconds.map(\.largestError).max() ?? 1
    #expect(error < 0.1, "\(error)")
  }

  @Test func clearedSamplesAreNotPlayed() {
    var buffer = SteppedPlayout()
    let frame = Frame(rate: .hz8000, channelCount: 1)
    let output = Frame(rate: .hz8000, channelCount: 1)
    for index in 0..<80 { frame.plane(0)[index] = 0.5 }
    for _ in 0..<10 { buffer.write(frame) }
    buffer.read(output)
    buffer.playout.clear()
    let level = buffer.playout.level
    #expect(level == 0)
    let isSound = buffer.read(output)
    #expect(!isSound && output.plane(0).allSatisfy { $0 == 0 })
    let underruns = buffer.playout.status.underrunCount
    #expect(underruns == 0)
    frame.clear()
    for _ in 0..<4 { buffer.write(frame) }
    for _ in 0..<4 {
      buffer.read(output)
      // The interpolation may leave a trace.
      #expect(output.plane(0).allSatisfy { abs($0) < 0.01 })
    }
  }

  @Test func theMarginShrinksWithoutUnderruns() {
    let seconds = DriftingPlayout(seconds: 240).run { $0 > 10 && $0 < 10.5 ? 10.5 : $0 }
    #expect((seconds.last?.mostLevel ?? 1000) < 45, "\(seconds.last?.mostLevel ?? 0)")
  }
}

/// A buffer that is written and then read every 10 ms.
private struct SteppedPlayout: ~Copyable {
  var playout = PlayoutBuffer(rate: .hz8000, channelCount: 1)
  private var time: Int64 = 0

  mutating func write(_ frame: borrowing Frame) { playout.write(frame, at: time) }

  @discardableResult
  mutating func read(_ frame: borrowing Frame) -> Bool {
    time += 10_000_000
    return playout.read(into: frame, at: time)
  }
}
