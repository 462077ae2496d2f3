import AudioCore
import TestAudio
import Testing
import VoiceEngines

/// The parts around the stages of every engine.
struct StageTests {
  private static let rate = SampleRate.hz16000
  private static let format = EngineFormat(rate: rate, channelCount: 1)

  @Test func aSwitchDelaysAStageThatIsOffByTheStagesLatency() {
    let input = Signals.noise(1600)
    let output = switched(input, latency: 100, isOn: false, changes: [:])
    #expect(output.dropFirst(100).elementsEqual(input.dropLast(100)))
  }

  @Test(arguments: [true, false])
  func aSwitchFadesOverAFrame(isOn: Bool) {
    // The stage negates its input, so that its output is easy to recognize.
    let input = [Float](repeating: 0.5, count: 1600)
    let output = switched(input, latency: 0, isOn: isOn, changes: [5: !isOn])
    let (before, after): (Float, Float) = isOn ? (-0.5, 0.5) : (0.5, -0.5)
    #expect(output[..<800].allSatisfy { $0 == before })
    #expect(output[960...].allSatisfy { $0 == after })
    let steps = zip(output[799..<960], output[800..<960]).map { abs($1 - $0) }
    #expect(steps.allSatisfy { $0 < 0.0063 })
  }

  @Test func aStageThatHasNotRunIsHeardAfterItsLatency() {
    let input = [Float](repeating: 0.5, count: 1600)
    let output = switched(input, latency: 200, isOn: false, changes: [3: true])
    // The stage has its own output from sample 680 on.
    #expect(output[200..<680].allSatisfy { $0 == 0.5 })
    #expect(output[840...].allSatisfy { $0 == -0.5 })
  }

  @Test(arguments: [0, 1, 77, 159, 160, 555])
  func aSwitchBeginsToFadeAtItsSample(sample: Int) {
    let input = [Float](repeating: 0.5, count: 2400)
    let output = switched(input, latency: 30, isOn: true, changes: [5: false], after: sample)
    let first = 800 + 30 + sample
    #expect(output[30..<first].allSatisfy { $0 == -0.5 })
    #expect(output[first] > -0.5 && output[first + 158] < 0.5)
    #expect(output[(first + 159)...].allSatisfy { $0 == 0.5 })
  }

  @Test func aSwitchThatTurnsBackDuringAFadeHasNoStep() {
    let input = [Float](repeating: 0.5, count: 2400)
    let output = switched(
      input, latency: 0, isOn: true, changes: [5: false, 6: true, 7: false], after: 100)
    let steps = zip(output.dropFirst(), output).map { abs($0 - $1) }
    #expect(steps.allSatisfy { $0 < 0.0063 })
    #expect(output.suffix(800).allSatisfy { $0 == 0.5 })
  }

  @Test func moreTurnsThanCanWaitEndInTheLastState() {
    var choice = CrossfadeSwitch(isOn: false)
    for turn in 0..<101 { choice.turn(on: turn.isMultiple(of: 2), after: 10 * turn) }
    let on = Frame(rate: Self.rate, channelCount: 1)
    let off = Frame(rate: Self.rate, channelCount: 1)
    let output = Frame(rate: Self.rate, channelCount: 1)
    fill(on, 1)
    for _ in 0..<20 { choice.select(on: on, off: off, into: output) }
    #expect(choice.isOn && choice.needsOnlyOn && output.plane(0).allSatisfy { $0 == 1 })
  }

  @Test func theGateOpensAtOnceAndClosesAfterAPause() {
    var gate = VoiceGate(rate: Self.rate, isOn: true)
    let frame = Frame(rate: Self.rate, channelCount: 2)
    func gain(hasVoice: Bool, frames: Int) -> Float {
      for _ in 0..<frames {
        fill(frame, 1)
        gate.process(frame, hasVoice: hasVoice)
      }
      #expect(frame.plane(0).last == frame.plane(1).last)
      return frame.plane(0).last ?? 0
    }
    #expect(gain(hasVoice: true, frames: 1) == 1)
    #expect(gain(hasVoice: false, frames: 30) == 1)
    #expect(gain(hasVoice: false, frames: 5) < 0.6)
    #expect(abs(gain(hasVoice: false, frames: 10) - Decibels.factor(VoiceGate.floor)) < 1e-6)
    #expect(gain(hasVoice: true, frames: 1) == 1)
    gate.isOn = false
    #expect(gain(hasVoice: false, frames: 100) == 1)
  }

  @Test func theReductionIsMeasuredOnlyWhileThereIsAReference() {
    var meter = EchoReductionMeter()
    let loud = Frame(rate: Self.rate, channelCount: 1)
    let quiet = Frame(rate: Self.rate, channelCount: 1)
    let silent = Frame(rate: Self.rate, channelCount: 1)
    fill(loud, 0.5)
    fill(quiet, 0.05)
    for _ in 0..<29 { meter.process(reference: loud, input: loud, output: quiet) }
    #expect(meter.reduction == nil)
    meter.process(reference: loud, input: loud, output: quiet)
    #expect(meter.reduction.map { abs($0 - 20) < 0.01 } == true)
    // Soon after the reference, the microphone contains no echo any more.
    for _ in 0..<20 { meter.process(reference: silent, input: loud, output: loud) }
    let last = meter.reduction
    for _ in 0..<500 { meter.process(reference: silent, input: loud, output: loud) }
    #expect(meter.reduction == last)
    for _ in 0..<500 { meter.process(reference: loud, input: loud, output: loud) }
    #expect(meter.reduction.map { abs($0) < 0.01 } == true)
  }

  @Test func theLinkedGainKeepsTheDifferenceBetweenTheChannels() {
    let format = EngineFormat(rate: Self.rate, channelCount: 2)
    var linked = LinkedGain(format, latencySamples: 40)
    var delay = DelayLine(delay: 40, channelCount: 1)
    let input = Frame(rate: Self.rate, channelCount: 2)
    let output = Frame(rate: Self.rate, channelCount: 2)
    let noise = Signals.noise(16_000, amplitude: 0.1)
    var (left, right): ([Float], [Float]) = ([], [])
    for frame in 0..<100 {
      for index in 0..<160 {
        input.plane(0)[index] = noise[frame * 160 + index]
        input.plane(1)[index] = noise[frame * 160 + index] * 0.25
      }
      linked.process(input, into: output) { input, output in
        // A control with a gain of 2.
        delay.process(input, into: output)
        for index in 0..<160 { output.plane(0)[index] *= 2 }
      }
      left += output.plane(0)
      right += output.plane(1)
    }
    #expect(abs(level(left[8000...]) - level(noise[8000...]) - 6.02) < 0.1)
    #expect(zip(left, right).allSatisfy { abs($0 * 0.25 - $1) < 1e-6 })
  }

  @Test func theHighPassFilterRemovesRumbleAndLeavesTheVoice() {
    var stage = HighPassStage(Self.format, isOn: true)
    func gain(period: Int) -> Float {
      let wave = (0..<16_000).map { Float($0 % period) / Float(period) }
        .map { 0.3 * (4 * abs($0 - 0.5) - 1) }
      let output = run(wave) { input, output in stage.process(input, into: output) }
      return level(output[8000...]) - level(wave[8000...])
    }
    #expect(gain(period: 800) < -15)  // 20 Hz
    #expect(gain(period: 16) > -1)  // 1 kHz
  }

  /// Runs a stage that negates its input, `latency` samples later, with a switch around it.
  private func switched(
    _ input: [Float], latency: Int, isOn: Bool, changes: [Int: Bool], after samples: Int = 0
  ) -> [Float] {
    var choice = AlignedSwitch(Self.format, latencySamples: latency, isOn: isOn)
    var stage = DelayLine(delay: latency, channelCount: 1)
    var frame = 0
    return run(input) { input, output in
      if let isOn = changes[frame] { choice.turn(on: isOn, after: samples) }
      frame += 1
      if choice.needsOnlyProcessed {
        stage.process(input, into: output)
        negate(output)
        choice.skip(input)
        return
      }
      stage.process(input, into: choice.processed)
      negate(choice.processed)
      choice.select(input, into: output)
    }
  }

  private func run(
    _ signal: [Float], _ process: (borrowing Frame, borrowing Frame) -> Void
  ) -> [Float] {
    let input = Frame(rate: Self.rate, channelCount: 1)
    let output = Frame(rate: Self.rate, channelCount: 1)
    var result: [Float] = []
    for start in stride(from: 0, to: signal.count, by: 160) {
      for index in 0..<160 { input.plane(0)[index] = signal[start + index] }
      process(input, output)
      result += output.plane(0)
    }
    return result
  }

  private func fill(_ frame: borrowing Frame, _ value: Float) {
    for channel in 0..<frame.channelCount { frame.plane(channel).update(repeating: value) }
  }

  private func negate(_ frame: borrowing Frame) {
    let plane = frame.plane(0)
    for index in plane.indices { plane[index] = -plane[index] }
  }
}
