import Testing

@testable import LiveVoice

/// The output of a live voice: a constant delay, whatever the server does.
struct SteadyOutputTests {
  private static let delay = 1600

  /// Pushes `count` samples of a signal, and pulls as many.
  private static func exchange(
    _ output: inout SteadyOutput, _ count: Int, isMuted: Bool = false,
    _ signal: (Int64) -> Float = { Float($0) }
  ) -> [Float] {
    let first = output.pushed
    let samples = (0..<count).map { signal(first + Int64($0)) }
    samples.withUnsafeBufferPointer { output.push($0) }
    var result = [Float](repeating: .nan, count: count)
    let taken = result.withUnsafeMutableBufferPointer { output.take(into: $0, isMuted: isMuted) }
    #expect(taken == count)
    return result
  }

  private static func output(silent: Bool = false) -> SteadyOutput {
    SteadyOutput(rate: 16000, channels: 1, delay: delay, isSilentWithoutServer: silent)
  }

  @Test func withoutAServerTheMicrophoneComesAtTheDelay() {
    var output = Self.output()
    let result = Self.exchange(&output, 4000)
    #expect(result[..<1600].allSatisfy { $0 == 0 })
    #expect(result[1600...].elementsEqual((0..<2400).map(Float.init)))
    #expect(!output.isProcessed)
  }

  @Test func samplesThatAreNoNumbersBecomeSilence() {
    var output = Self.output()
    let result = Self.exchange(&output, 4000) { $0 % 2 == 0 ? .nan : .infinity }
    #expect(result.allSatisfy { $0 == 0 })
  }

  @Test func withoutAServerAMutedVoiceIsSilent() {
    var output = Self.output()
    #expect(Self.exchange(&output, 4000, isMuted: true).allSatisfy { $0 == 0 })
    var silent = Self.output(silent: true)
    #expect(Self.exchange(&silent, 4000).allSatisfy { $0 == 0 })
  }

  @Test func processedSoundComesAtTheSameDelay() {
    var output = Self.output()
    output.start(algorithmicDelay: 160)
    var result: [Float] = []
    for frame in 0..<100 {
      result += Self.exchange(&output, 160)
      // The processed sample p contains the microphone's sample p - 160, with the sign changed.
      let processed = (0..<160).map { Float(-(frame * 160 + $0 - 160)) }
      processed.withUnsafeBufferPointer { output.add($0, at: Int64(frame * 160)) }
    }
    #expect(output.isProcessed)
    for index in 3200..<16000 { #expect(result[index] == -Float(index - 1600)) }
  }

  @Test func soundThatIsMissingIsReplacedWithoutAClick() {
    var output = Self.output()
    output.start(algorithmicDelay: 0)
    var result: [Float] = []
    for frame in 0..<200 {
      result += Self.exchange(&output, 160) { _ in 1 }
      guard !(80..<120).contains(frame) else { continue }
      let processed = [Float](repeating: -1, count: 160)
      processed.withUnsafeBufferPointer { output.add($0, at: Int64(frame * 160)) }
    }
    #expect(result.contains(-1) && result[(100 * 160)...].contains(1))
    let steps = zip(result.dropFirst(1601), result.dropFirst(1600)).map { abs($0 - $1) }
    #expect((steps.max() ?? 1) < 2.1 / 160)
    #expect(result.last == -1)
  }

  @Test(arguments: [1, 7, 441, 5000])
  func blocksOfAnyLengthGiveTheSame(size: Int) {
    var output = Self.output()
    var result: [Float] = []
    while result.count < 20_000 { result += Self.exchange(&output, size) }
    #expect(result[1600..<20_000].elementsEqual((0..<18_400).map(Float.init)))
  }

  @Test func soundThatNobodyTakesIsBounded() {
    var output = Self.output()
    let second = [Float](repeating: 0.5, count: 16000)
    for _ in 0..<10 { second.withUnsafeBufferPointer { output.push($0) } }
    #expect(output.available <= 2 * 16000)
    #expect(output.dropped == 160_000 - Int64(output.available))
  }

  @Test func soundThatComesTooLateOrFromTheFutureIsLeftOut() {
    var output = Self.output()
    output.start(algorithmicDelay: 0)
    _ = Self.exchange(&output, 8000) { _ in 1 }
    let samples = [Float](repeating: -1, count: 160)
    samples.withUnsafeBufferPointer {
      #expect(output.lateness(ofSampleAt: 160) == 6240)
      output.add($0, at: 0)
      output.add($0, at: 1 << 40)
    }
    #expect(Self.exchange(&output, 8000) { _ in 1 }.allSatisfy { $0 == 1 })
  }

  @Test func bothChannelsKeepTheirPlace() {
    var output = SteadyOutput(rate: 48000, channels: 2, delay: 4800, isSilentWithoutServer: false)
    let samples = (0..<20_000).map { Float($0) }
    samples.withUnsafeBufferPointer { output.push($0) }
    var result = [Float](repeating: 0, count: 20_000)
    let count = result.withUnsafeMutableBufferPointer { output.take(into: $0, isMuted: false) }
    #expect(count == 10_000)
    #expect(result[9600...].elementsEqual(samples[..<10_400]))
  }
}
