import AcousticSimulator
import AudioCore
import CAllocationCounter
import EchoAlignment
import TestAudio
import Testing

struct AlignmentAllocationTests {
  private static let rate = SampleRate.hz16000
  private static let speech = Signals.babble(rate.hertz * 4, rate: rate, seed: 7)
  private static let echo = Signals.echo(of: speech, delay: 3200, gain: 0.5)

  @Test func aligningAllocatesNothing() throws {
    // On the first run, the Swift runtime allocates metadata of types.
    _ = try allocations()
    let (count, moves) = try allocations()
    #expect(count == 0)
    #expect(moves == 1)
  }

  private func allocations() throws -> (count: Int64, moves: Int) {
    let rate = Self.rate
    var aligner = try ReferenceAligner(
      microphone: rate, reference: rate, referenceChannelCount: 1)
    let input = Frame(rate: rate, channelCount: 1)
    let played = Frame(rate: rate, channelCount: 1)
    let output = Frame(rate: rate, channelCount: 1)
    var moves = 0
    allocation_counter_start()
    for frame in 0..<(Self.speech.count / rate.samplesPerFrame) {
      for index in 0..<rate.samplesPerFrame {
        input.plane(0)[index] = Self.echo[frame * rate.samplesPerFrame + index]
        played.plane(0)[index] = Self.speech[frame * rate.samplesPerFrame + index]
      }
      let time = Duration.milliseconds(10 * frame)
      aligner.recordCapture(sample: Int64(frame * 160), at: time)
      aligner.recordPlayback(sample: Int64(frame * 160), at: time)
      let change = aligner.process(microphone: input, reference: played, into: output)
      moves += change == .moved ? 1 : 0
    }
    return (allocation_counter_stop(), moves)
  }
}
