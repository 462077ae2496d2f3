import SoundRig
import Testing

/// A microphone with another clock than the loudspeaker.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: SoundRig.missingTools.isEmpty, "the rig's programs are not installed"))
struct ClockTests {
  /// A busy machine may drop a block of sound now and then, but not three times in a row. A click
  /// of the converter would come each time.
  @Test(arguments: [1.0005, 0.9995])
  func aToneIsOfAnotherFrequencyAndWithoutClicks(clock: Double) throws {
    let samples = tone(seconds: 6)
    var (wrongness, steepness) = (1.0, Float(2))
    for _ in 0..<3 where wrongness >= 0.01 || steepness >= 1.01 {
      let heard = try heard(samples, clock: clock)
      // Uses the tone after its start. It is long enough for the converter to move by whole blocks.
      let tone = heard.samples[(heard.samples.firstIndex { abs($0) > 0.4 } ?? 0)...]
        .dropFirst(4800).prefix(4 * 48000)
      try #require(tone.count == 4 * 48000)
      guard heard.jumps.isEmpty else { return }
      wrongness = abs(frequency(of: tone) * clock - 1000)
      let steps = zip(tone, tone.dropFirst()).map { abs($1 - $0) }
      steepness = (steps.max() ?? 1) / (0.5 * 2 * .pi * 1000 / 48000)
    }
    #expect(wrongness < 0.01)
    #expect(steepness < 1.01)
  }

  @Test(arguments: [1.0005, 0.9995])
  func clicksDriftByTheDifferenceOfTheClocks(clock: Double) throws {
    var clicks = [Float](repeating: 0, count: 10 * 48000)
    for second in 0..<10 { clicks[second * 48000 + 24000] = 0.5 }
    var wrongness = Double.infinity
    for _ in 0..<3 where wrongness >= 2 {
      let heard = try heard(clicks, clock: clock)
      guard heard.jumps.isEmpty else { return }
      let positions = heard.samples.indices.filter { index in
        heard.samples[index] > 0.2
          && heard.samples[index] == heard.samples[max(0, index - 2)...].prefix(5).max()
      }
      try #require(positions.count == 10)
      let drift = Double(positions[9] - positions[0]) - 9 * 48000
      wrongness = abs(drift - 9 * 48000 * (clock - 1))
    }
    #expect(wrongness < 2)
  }

  /// Returns the loudspeaker's sound at the microphone, and the jumps of the path. On a machine
  /// that stood still, the result shows nothing about clocks.
  private func heard(
    _ samples: [Float], clock: Double
  ) throws -> (samples: [Float], jumps: [Duration]) {
    let rig = try SoundRig(captureClock: clock)
    let room = try RoomSimulator(rig, room: nil, echoReturnLoss: 0)
    let microphone = try rig.record(from: "micbus.monitor")
    try #expect(rig.play(samples, into: "spk").wait())
    return (microphone.stop(), room.jumps)
  }

  /// Returns the frequency in Hz, from the first to the last upward crossing of zero.
  private func frequency(of samples: some Collection<Float>) -> Double {
    var crossings: [Double] = []
    for (index, (last, next)) in zip(samples, samples.dropFirst()).enumerated()
    where last < 0 && next >= 0 {
      crossings.append(Double(index) + Double(last / (last - next)))
    }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * 48000 / (last - first)
  }
}
