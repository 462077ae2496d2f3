import Testing

@testable import LiveVoice

/// The output of a live voice: a constant delay, whatever the server does.
struct SteadyOutputTests {
  private static let delay = 1600

  /// The microphone and the output of a voice.
  private struct Voice {
    let captured: CapturedSound
    let output: SteadyOutput

    init(
      rate: Int = 16000, channels: Int = 1, delay: Int = SteadyOutputTests.delay,
      silent: Bool = false
    ) {
      captured = CapturedSound(
        capacity: SteadyOutput.capacity(rate: rate, delay: delay), microphoneChannels: channels,
        referenceChannels: 0)
      output = SteadyOutput(captured, rate: rate, delay: delay, isSilentWithoutServer: silent)
    }

    func push(_ samples: [Float]) { samples.withUnsafeBufferPointer { captured.append($0) } }

    func pull(_ count: Int, silentUntil: Int64? = nil) -> [Float] {
      var result = [Float](repeating: .nan, count: count)
      let taken = result.withUnsafeMutableBufferPointer {
        output.read(into: $0, silentUntil: silentUntil)
      }
      return Array(result[..<(taken * output.channels)])
    }

    /// Pushes `count` samples of a signal, and pulls as many.
    func exchange(
      _ count: Int, silentUntil: Int64? = nil, _ signal: (Int64) -> Float = { Float($0) }
    ) -> [Float] {
      let first = captured.count
      push((0..<count).map { signal(first + Int64($0)) })
      let result = pull(count, silentUntil: silentUntil)
      #expect(result.count == count)
      return result
    }

    @discardableResult
    func add(_ samples: [Float], at first: Int, algorithmicDelay: Int = 0) -> Int64 {
      samples.withUnsafeBufferPointer {
        output.add($0, at: Int64(first), algorithmicDelay: algorithmicDelay)
      }
    }
  }

  @Test func withoutAServerTheMicrophoneComesAtTheDelay() {
    let voice = Voice()
    let result = voice.exchange(4000)
    #expect(result[..<1600].allSatisfy { $0 == 0 })
    #expect(result[1600...].elementsEqual((0..<2400).map(Float.init)))
    #expect(!voice.output.isProcessed)
  }

  @Test func samplesThatAreNoNumbersBecomeSilence() {
    let voice = Voice()
    let result = voice.exchange(4000) { $0 % 2 == 0 ? .nan : .infinity }
    #expect(result.allSatisfy { $0 == 0 })
  }

  @Test func withoutAServerAMutedVoiceIsSilent() {
    let voice = Voice()
    #expect(voice.exchange(4000, silentUntil: .max).allSatisfy { $0 == 0 })
    let silent = Voice(silent: true)
    #expect(silent.exchange(4000).allSatisfy { $0 == 0 })
  }

  @Test func whatWasCapturedWhileMutedIsNeverHeard() {
    let voice = Voice()
    _ = voice.exchange(3200) { _ in 1 }
    #expect(voice.exchange(3200, silentUntil: .max) { _ in 2 }.allSatisfy { $0 == 0 })
    let result = voice.exchange(4800) { _ in 3 }
    #expect(result[..<1600].allSatisfy { $0 == 0 } && result[1600...].allSatisfy { $0 == 3 })
  }

  @Test func aMutedVoiceIsSilentAtOnceWhateverTheServerSends() {
    let voice = Voice()
    for frame in 0..<40 {
      _ = voice.exchange(160) { _ in 1 }
      voice.add([Float](repeating: -1, count: 160), at: frame * 160)
    }
    #expect(voice.output.isProcessed)
    #expect(voice.exchange(320, silentUntil: .max) { _ in 1 }.allSatisfy { $0 == 0 })
  }

  /// The server has not applied any mute, and returns everything.
  @Test(arguments: [1, 3, 5])
  func aMuteThatIsShorterThanTheDelayIsNeverHeard(frames: Int) {
    let voice = Voice()
    var result: [Float] = []
    for frame in 0..<100 {
      let isMuted = (30..<30 + frames).contains(frame) || frame == 33 + frames
      let sound: Float = isMuted ? 2 : 1
      result += voice.exchange(160, silentUntil: isMuted ? .max : nil) { _ in sound }
      voice.add([Float](repeating: sound, count: 160), at: frame * 160)
    }
    #expect(result.allSatisfy { $0 <= 1 })
    let after = 30 * 160 + frames * 160
    #expect(result[after + 160..<after + 320].contains { $0 == 1 }, "what came before is heard")
    #expect(result[(60 * 160)...].allSatisfy { $0 == 1 })
  }

  @Test func injectedSpeechIsHeardFromTheSampleOnAtWhichTheServerHasMuted() {
    let voice = Voice()
    var result: [Float] = []
    for frame in 0..<60 {
      result += voice.exchange(160, silentUntil: 20 * 160 + Int64(voice.output.delay)) { _ in 1 }
      voice.add([Float](repeating: -1, count: 160), at: frame * 160)
    }
    let heard = 20 * 160 + voice.output.delay
    #expect(result[..<heard].allSatisfy { $0 == 0 })
    #expect(result[(heard + 160)...].allSatisfy { $0 == -1 })
  }

  @Test func processedSoundComesAtTheSameDelay() {
    let voice = Voice()
    var result: [Float] = []
    for frame in 0..<100 {
      result += voice.exchange(160)
      // The processed sample p contains the microphone's sample p - 160, with the sign changed.
      let processed = (0..<160).map { Float(-(frame * 160 + $0 - 160)) }
      voice.add(processed, at: frame * 160, algorithmicDelay: 160)
    }
    #expect(voice.output.isProcessed)
    for index in 3200..<16000 { #expect(result[index] == -Float(index - 1600)) }
  }

  @Test func soundThatIsMissingIsReplacedWithoutAClick() {
    let voice = Voice()
    var result: [Float] = []
    for frame in 0..<200 {
      result += voice.exchange(160) { _ in 1 }
      guard !(80..<120).contains(frame) else { continue }
      let processed = [Float](repeating: -1, count: 160)
      voice.add(processed, at: frame * 160)
    }
    #expect(result.contains(-1) && result[(100 * 160)...].contains(1))
    let steps = zip(result.dropFirst(1601), result.dropFirst(1600)).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 2.1 / 160)
    #expect(result.last == -1)
  }

  @Test(arguments: [1, 7, 441, 5000])
  func blocksOfAnyLengthGiveTheSame(size: Int) {
    let voice = Voice()
    var result: [Float] = []
    while result.count < 20_000 { result += voice.exchange(size) }
    #expect(result[1600..<20_000].elementsEqual((0..<18_400).map(Float.init)))
  }

  @Test func soundThatNobodyTakesIsBounded() {
    let voice = Voice()
    for _ in 0..<10 { voice.push([Float](repeating: 0.5, count: 16000)) }
    #expect(voice.output.available == 2 * 16000)
    #expect(voice.pull(160).count == 160 && voice.output.dropped == 8 * 16000)
    #expect(voice.pull(1 << 16).count == 2 * 16000 - 160)
  }

  @Test func processedSoundThatNobodyTakesIsBounded() {
    let voice = Voice()
    for frame in 0..<1000 {
      voice.push([Float](repeating: 1, count: 160))
      voice.add([Float](repeating: -1, count: 160), at: frame * 160)
    }
    // The oldest of it is kept, and is over. Soon afterwards the voice is processed again.
    _ = voice.pull(1 << 16)
    for frame in 1000..<1030 {
      _ = voice.exchange(160) { _ in 1 }
      voice.add([Float](repeating: -1, count: 160), at: frame * 160)
    }
    #expect(voice.output.isProcessed)
  }

  @Test func soundThatComesTooLateOrFromTheFutureIsLeftOut() {
    let voice = Voice()
    _ = voice.exchange(8000) { _ in 1 }
    let samples = [Float](repeating: -1, count: 160)
    #expect(voice.add(samples, at: 0) == 6240)
    voice.add(samples, at: 1 << 40)
    #expect(voice.exchange(8000) { _ in 1 }.allSatisfy { $0 == 1 })
  }

  @Test func bothChannelsKeepTheirPlace() {
    let voice = Voice(rate: 48000, channels: 2, delay: 4800)
    let samples = (0..<20_000).map { Float($0) }
    voice.push(samples)
    let result = voice.pull(20_000)
    #expect(result.count == 20_000)
    #expect(result[9600...].elementsEqual(samples[..<10_400]))
  }
}
