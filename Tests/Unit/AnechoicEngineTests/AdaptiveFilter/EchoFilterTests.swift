import AnechoicEngine
import AudioCore
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct EchoFilterTests {
  /// A soft near noise, and the echo of a reference through a path of 60 ms that decays.
  private struct Call {
    let hop: Int
    let reference: [Float]
    let echo: [Float]
    let near: [Float]

    init(hop: Int, frames: Int, near level: Float = 1e-4, seed: UInt32 = 1) {
      self.hop = hop
      reference = Signals.noise(hop * frames, seed: seed).map { 0.3 * $0 }
      near = Signals.noise(hop * frames, seed: seed + 1).map { level * $0 }
      let taps = [(hop / 8, Float(0.5)), (hop, -0.3), (2 * hop + 7, 0.2), (6 * hop - 3, -0.1)]
      let reference = reference
      echo = reference.indices.map { index in
        taps.reduce(0) { $0 + (index >= $1.0 ? $1.1 * reference[index - $1.0] : 0) }
      }
    }

    /// Returns the output of a filter. `work` is called before each frame with the memory that
    /// others may use then. The microphone is silent in the frames `lost`, from which the filter
    /// learns if `learnsFromLost` is true.
    func run(
      _ kernels: Kernels = .best, lost: Range<Int> = 0..<0, learnsFromLost: Bool = false,
      betweenFrames work: (FloatArena) -> Void = { _ in }
    ) -> [Float] {
      let arena = FloatArena.forWork()
      var filter = EchoFilter(hop: hop, weights: .neutral, kernels: kernels, work: arena)
      let microphone = zip(echo, near).map { $0 + $1 }
      var output: [Float] = []
      var block = Signals.silence(2 * hop)
      for start in stride(from: 0, to: reference.count, by: hop) {
        work(arena)
        let isLost = lost.contains(start / hop)
        filter.process(
          microphone: isLost ? Signals.silence(hop) : Array(microphone[start..<start + hop]),
          reference: Array(reference[start..<start + hop]), learns: !isLost || learnsFromLost,
          into: &block)
        output += block[hop...]
      }
      return output
    }
  }

  private func decibels(_ samples: some Collection<Float>) -> Float {
    10 * log10(samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count) + 1e-12)
  }

  @Test(arguments: [80, 160, 320, 480])
  func theEchoOfNoiseIsGoneAfterTwoSeconds(hop: Int) {
    let call = Call(hop: hop, frames: 300)
    let output = call.run()
    let late = output.indices.dropFirst(200 * hop)
    let reduction = decibels(late.map { call.echo[$0] }) - decibels(late.map { output[$0] })
    #expect(reduction > 30, "\(reduction) dB")
  }

  @Test func anIncompleteFrameTeachesNothing() {
    let call = Call(hop: 160, frames: 200)
    func levelAfterwards(_ output: [Float]) -> Float {
      decibels(output[(130 * 160)..<(140 * 160)])
    }
    let whole = levelAfterwards(call.run())
    let kept = levelAfterwards(call.run(lost: 100..<130))
    let confused = levelAfterwards(call.run(lost: 100..<130, learnsFromLost: true))
    #expect(kept < whole + 7 && confused > kept + 1, "\(whole), \(kept), \(confused) dBFS")
  }

  /// The delay of the reference before and after the move, in samples.
  @Test(arguments: [(0, 300), (300, 0), (0, 160), (290, 280), (0, 1)], [160, 480])
  func theEchoPathFollowsAReferenceThatIsMoved(delays: (before: Int, after: Int), hop: Int) {
    let (frames, moved, most) = (150, 120, 300)
    let call = Call(hop: hop, frames: frames)
    let lateEcho = Signals.silence(most) + call.echo
    func run(follows: Bool) -> Float {
      var filter = EchoFilter(hop: hop, weights: .neutral)
      var block = Signals.silence(2 * hop)
      var output: [Float] = []
      for frame in 0..<frames {
        let delay = frame < moved ? delays.before : delays.after
        if frame == moved, follows { filter.shift(by: delays.after - delays.before) }
        let late = (0..<hop).map { frame * hop + $0 - delay }
        filter.process(
          microphone: Array(lateEcho[(frame * hop)..<((frame + 1) * hop)]),
          reference: late.map { $0 < 0 ? 0 : call.reference[$0] }, into: &block)
        output += block[hop...]
      }
      return decibels(output[((moved + 8) * hop)..<((moved + 20) * hop)])
    }
    let (lost, kept) = (run(follows: false), run(follows: true))
    #expect(kept < lost - 4, "\(lost), \(kept) dBFS")
  }

  @Test(arguments: [Int.min, -7_700, 7_700, .max])
  func aMoveThatIsTooFarLeavesNothing(samples: Int) {
    var filter = EchoFilter(hop: 160, weights: .neutral)
    var output = Signals.silence(320)
    let noise = Signals.noise(160, amplitude: 0.1)
    for _ in 0..<50 { filter.process(microphone: noise, reference: noise, into: &output) }
    filter.shift(by: samples)
    filter.process(microphone: noise, reference: noise, learns: false, into: &output)
    #expect(zip(output[160...], noise).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func withoutAReferenceTheMicrophonePasses() {
    var filter = EchoFilter(hop: 160, weights: .neutral)
    let microphone = Signals.noise(160 * 50)
    let silence = Signals.silence(160)
    var output = Signals.silence(320)
    var last = silence
    for start in stride(from: 0, to: microphone.count, by: 160) {
      let frame = Array(microphone[start..<start + 160])
      filter.process(microphone: frame, reference: silence, into: &output)
      #expect(output == last + frame)
      last = frame
    }
  }

  @Test func aCallGivesTheSameOutputAgain() {
    let call = Call(hop: 160, frames: 50, near: 0.1)
    #expect(call.run() == call.run())
  }

  @Test(arguments: [80, 160, 320, 480])
  func othersMayUseTheWorkMemoryBetweenFrames(hop: Int) {
    let call = Call(hop: hop, frames: 30, near: 0.1)
    let output = call.run { work in
      var other = work
      let count = FloatArena.workCount
      other.array(count).update(repeating: .nan, count: count)
    }
    #expect(output == call.run())
  }

  @Test func kernelsDifferByRoundingOnly() {
    let call = Call(hop: 160, frames: 100, near: 0.1)
    let wanted = call.run(Kernels.available[0])
    for kernels in Kernels.available.dropFirst() {
      let worst = zip(call.run(kernels), wanted).map { abs($0 - $1) }.max() ?? .nan
      #expect(worst < 1e-4, "\(kernels): \(worst)")
    }
  }

  @Test func extremesStayFinite() {
    for level in [Float(1e-30), 1, 1e6] {
      var filter = EchoFilter(hop: 160, weights: .neutral)
      var output = Signals.silence(320)
      for frame in 0..<60 {
        let square = (0..<160).map { ($0 / 8 + frame).isMultiple(of: 2) ? level : -level }
        filter.process(microphone: square, reference: square, into: &output)
        #expect(output.allSatisfy { $0.isFinite })
      }
    }
  }
}
