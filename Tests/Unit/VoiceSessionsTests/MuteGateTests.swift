import AudioCore
import TestAudio
import Testing

@testable import VoiceSessions

/// The mute gate on a signal of ones. The output is then the gain of the gate.
struct MuteGateTests {
  private struct Turn {
    let isOpen: Bool
    let sample: Int64
  }

  private static let rates: [SampleRate] = [.hz8000, .hz16000, .hz44100, .hz48000]

  @Test(arguments: rates)
  func closingEndsWithTheFirstMutedSample(rate: SampleRate) {
    let (latency, ramp) = (rate.hertz / 50, rate.hertz / 200)
    let mute = rate.samplesPerFrame + 37
    let output = gains([Turn(isOpen: false, sample: Int64(mute))], 8, latency, rate)
    let heard = mute + latency
    #expect(output[..<(heard - ramp)].allSatisfy { $0 == 1 })
    #expect(output[(heard - ramp)..<heard].allSatisfy { $0 < 1 })
    #expect(output[heard...].allSatisfy { $0 == 0 })
    #expect(largestStep(output) < 1.01 / Float(ramp))
  }

  @Test(arguments: rates)
  func openingBeginsWithTheFirstSampleThatIsNotMuted(rate: SampleRate) {
    let (latency, ramp) = (rate.hertz / 50, rate.hertz / 200)
    let unmute = 2 * rate.samplesPerFrame - 1
    let output = gains(
      [Turn(isOpen: true, sample: Int64(unmute))], 8, latency, rate, startsOpen: false)
    let heard = unmute + latency
    #expect(output[..<heard].allSatisfy { $0 == 0 })
    #expect(output[heard] > 0 && output[heard] < 0.1)
    #expect(output[(heard + ramp)...].allSatisfy { $0 == 1 })
    #expect(largestStep(output) < 1.01 / Float(ramp))
  }

  @Test func aRampIsNoLongerThanTheLatency() {
    let rate = SampleRate.hz16000
    for latency in [0, 1, 20] {
      let output = gains([Turn(isOpen: false, sample: 200)], 4, latency, rate)
      #expect(output[..<200].allSatisfy { $0 == 1 })
      #expect(output[(200 + latency)...].allSatisfy { $0 == 0 })
    }
  }

  @Test func anOpeningShorterThanItsRampIsNotHeardPastTheNextMute() {
    let output = gains(
      [Turn(isOpen: true, sample: 100), Turn(isOpen: false, sample: 200)], 6, 320, .hz16000,
      startsOpen: false)
    #expect(output[..<420].allSatisfy { $0 == 0 })
    #expect(output[420..<520].max() ?? 0 > 0.1)
    #expect(output[520...].allSatisfy { $0 == 0 })
    let blink = gains(
      [Turn(isOpen: true, sample: 100), Turn(isOpen: false, sample: 150)], 6, 320, .hz16000,
      startsOpen: false)
    #expect(blink.allSatisfy { $0 == 0 })
  }

  @Test func aFrameSaysWhetherAnyOfItIsLowered() {
    let rate = SampleRate.hz16000
    let frame = Frame(rate: rate, channelCount: 1)
    var gate = MuteGate(isOpen: true, latencySamples: 160, rate: rate)
    gate.turn(open: false, at: 160)
    gate.turn(open: true, at: 480)
    let lowered = (0..<6).map { gate.process(frame, firstSample: Int64($0) * 160) }
    #expect(lowered == [false, true, true, true, true, false])
  }

  @Test func bothChannelsAreLoweredAlike() {
    let rate = SampleRate.hz48000
    let frame = Frame(rate: rate, channelCount: 2)
    var gate = MuteGate(isOpen: true, latencySamples: 480, rate: rate)
    gate.turn(open: false, at: 100)
    for index in 0..<3 {
      fill(frame)
      _ = gate.process(frame, firstSample: Int64(index) * 480)
      #expect(frame.plane(0).elementsEqual(frame.plane(1)))
    }
    #expect(frame.peak == 0)
  }

  @Test(arguments: rates, 1...4 as ClosedRange<UInt64>)
  func nothingMutedIsHeardHoweverOftenItTurns(rate: SampleRate, seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let (frameSize, frames) = (rate.samplesPerFrame, 400)
    let latency = Int.random(in: 0...(3 * frameSize), using: &random)
    let ramp = min(latency, rate.hertz / 200)
    var turns: [Turn] = []
    var sample: Int64 = 0
    while sample < Int64(frames * frameSize) {
      let longest = random.happens(onceIn: 3) ? 12 * Int64(frameSize) : Int64(frameSize)
      sample += Int64.random(in: 1...longest, using: &random)
      turns.append(Turn(isOpen: !(turns.last?.isOpen ?? true), sample: sample))
    }
    let output = gains(turns, frames, latency, rate)
    let heard = heardOpen(turns, count: output.count, latency: latency)
    // The number of samples for which the gate has been open, and will be open, at each sample.
    let lastClosed = zip(heard, heard.indices).reduce(into: [Int]()) { last, next in
      last.append(next.0 ? (last.last ?? -1_000_000) : next.1)
    }
    let nextClosed = zip(heard, heard.indices).reversed().reduce(into: [Int]()) { last, next in
      last.append(next.0 ? (last.last ?? 1_000_000) : next.1)
    }
    let wrong = output.indices.filter { index in
      if !heard[index] { return output[index] != 0 }
      let isSettled =
        index - lastClosed[index] > ramp && nextClosed[output.count - 1 - index] - index > ramp
      // The last changes may lie after the end.
      return isSettled && index < output.count - ramp && output[index] != 1
    }
    #expect(wrong.isEmpty)
    if ramp > 0 { #expect(largestStep(output) < 1.01 / Float(ramp)) }
  }

  /// Returns the output for ones. The gate gets each change at the beginning of the frame that
  /// contains it.
  private func gains(
    _ turns: [Turn], _ frames: Int, _ latency: Int, _ rate: SampleRate, startsOpen: Bool = true
  ) -> [Float] {
    var gate = MuteGate(isOpen: startsOpen, latencySamples: latency, rate: rate)
    var left = turns[...]
    let frame = Frame(rate: rate, channelCount: 1)
    return (0..<frames).flatMap { index -> [Float] in
      let first = Int64(index * frame.sampleCount)
      while let turn = left.first, turn.sample < first + Int64(frame.sampleCount) {
        gate.turn(open: turn.isOpen, at: turn.sample)
        left = left.dropFirst()
      }
      fill(frame)
      _ = gate.process(frame, firstSample: first)
      return Array(frame.plane(0))
    }
  }

  /// Returns for each output sample whether its microphone sample was unmuted.
  private func heardOpen(_ turns: [Turn], count: Int, latency: Int) -> [Bool] {
    var left = turns[...]
    var isOpen = true
    return (0..<count).map { index in
      while let turn = left.first, turn.sample + Int64(latency) <= Int64(index) {
        isOpen = turn.isOpen
        left = left.dropFirst()
      }
      return isOpen
    }
  }

  private func fill(_ frame: borrowing Frame) {
    for channel in 0..<frame.channelCount { frame.plane(channel).update(repeating: 1) }
  }

  private func largestStep(_ output: [Float]) -> Float {
    zip(output, output.dropFirst()).map { abs($0 - $1) }.max() ?? 0
  }
}
