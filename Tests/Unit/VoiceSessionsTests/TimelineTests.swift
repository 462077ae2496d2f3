import AudioCore
import TestAudio
import Testing
import VoiceSessions

/// The length and delay of the output, which do not depend on the chunks of the input.
struct TimelineTests {
  @Test(arguments: SampleRate.allCases, SampleRate.allCases)
  func theOutputIsAsLongAsTheMicrophone(input: SampleRate, output: SampleRate) throws {
    let run = try SessionRun(SessionSetup(microphone: .f32(input), processed: .f32(output)))
    let count = input.hertz / 4 + 37
    try run.send(microphone: encode([Signals.noise(count)], .f32), in: 4 * 333)
    run.finish()
    #expect(run.sink.processed.count / 4 == input.convert(count, to: output))
  }

  @Test(arguments: SampleRate.allCases, SampleRate.allCases)
  func theAlgorithmicDelayIsExact(input: SampleRate, output: SampleRate) throws {
    var setup = SessionSetup(
      microphone: .f32(input), reference: .f32(.hz16000), processed: .f32(output))
    setup.configuration.voiceProcessing.isBypassed = true
    let run = try SessionRun(setup)
    // A pulse whose frequencies fit the lowest rate and whose middle is easy to find.
    let pulse = (0..<input.hertz / 4).map { index in
      let time = Float(index) / Float(input.hertz) - 0.1
      return 0.5 * Float.exp(-time * time * 1_000_000)
    }
    try run.send(microphone: encode([pulse], .f32), in: 4 * input.samplesPerFrame)
    run.finish()
    let processed = decode(run.sink.processed, .f32(output))[0]
    let weight = processed.reduce(0, +)
    let middle = processed.enumerated().reduce(0) { $0 + Float($1.offset) * $1.element } / weight
    let delay = middle / Float(output.hertz) - 0.1
    let stated = Float(run.session.delays.processed / .seconds(1))
    #expect(abs(delay - stated) * Float(output.hertz) < 1.5)
  }

  @Test func chunksOfAnyLengthGiveTheSameBits() throws {
    let microphone = encode([Signals.babble(16000, rate: .hz16000, seed: 3)], .s16)
    let reference = encode([Signals.babble(48000, rate: .hz48000, seed: 4)], .f32)
    let outputs = try [10, 20, 37, 120].map { milliseconds in
      let run = try SessionRun(SessionSetup(microphone: .s16, reference: .f32(.hz48000)))
      try run.send(
        microphone: microphone, in: 32 * milliseconds, reference: reference,
        in: 192 * milliseconds)
      run.finish()
      return run.sink.processed
    }
    #expect(outputs.allSatisfy { $0 == outputs[0] && $0.count == microphone.count })
  }

  @Test func bypassedSixteenBitAudioComesOutBitForBit() throws {
    var setup = SessionSetup(microphone: .s16)
    setup.configuration.voiceProcessing.isBypassed = true
    let microphone = encode([Signals.noise(16000)], .s16)
    let run = try SessionRun(setup)
    try run.send(microphone: microphone, in: 320)
    run.finish()
    let latency = Int(run.session.delays.processed / .milliseconds(1)) * 32
    #expect(run.sink.processed.dropFirst(latency).elementsEqual(microphone.dropLast(latency)))
  }

  @Test func outputChunksHaveTheRequestedLengthAndConsecutiveIndexes() throws {
    var setup = SessionSetup(microphone: .s16)
    setup.framesPerChunk = 3
    let run = try SessionRun(setup)
    try run.send(microphone: encode([Signals.noise(1700)], .s16), in: 320)
    run.finish()
    #expect(run.sink.firstSamples == [0, 480, 960, 1440])
    #expect(run.sink.frames.count == 11)
    #expect(run.sink.kinds.last == .ended(.clientClosed))
  }

  @Test func channelsAreMixedAndRepeatedForTheOutput() throws {
    let left = Signals.noise(3200, seed: 1)
    let right = Signals.noise(3200, seed: 2)
    func output(_ input: [[Float]], _ channels: Int) throws -> [[Float]] {
      var setup = SessionSetup(
        microphone: .f32(.hz16000, input.count), processed: .f32(.hz16000, channels))
      setup.configuration.voiceProcessing.isBypassed = true
      let run = try SessionRun(setup)
      try run.send(microphone: encode(input, .f32), in: 640)
      run.finish()
      return decode(run.sink.processed, .f32(.hz16000, channels))
    }
    let mixed = try output([zip(left, right).map { ($0 + $1) / 2 }], 1)
    #expect(try output([left, right], 1) == mixed)
    let repeated = try output([left], 2)
    #expect(repeated[0] == repeated[1])
    let stereo = try output([left, right], 2)
    #expect(stereo[0] != stereo[1])
  }
}

extension Float {
  /// Returns e to the power of `exponent` by squaring (1 + x/1024), which is exact enough for a
  /// pulse.
  fileprivate static func exp(_ exponent: Float) -> Float {
    guard exponent > -80 else { return 0 }
    var result = 1 + exponent / 1024
    guard result > 0 else { return 0 }
    for _ in 0..<10 { result *= result }
    return result
  }
}
