import AudioCore
import EchoAlignment
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct ElasticBufferTests {
  private static let rate = SampleRate.hz8000

  private func fill(_ frame: borrowing Frame, _ index: Int, _ signal: (Double) -> Float) {
    for sample in 0..<frame.sampleCount {
      frame.plane(0)[sample] = signal(Double(index * frame.sampleCount + sample))
    }
  }

  /// Reads frames at a speed. Returns them with the position of the first sample of each.
  private func read(
    step: Double, capacity: Int, frames: Int, _ signal: (Double) -> Float,
    _ body: (_ place: Double, _ samples: [Float]) -> Void
  ) {
    var buffer = ElasticBuffer(rate: Self.rate, channelCount: 1, capacity: capacity)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    var written = 0
    for _ in 0..<frames {
      while !buffer.hasFrame(step: step) {
        fill(frame, written, signal)
        buffer.write(frame)
        written += 1
      }
      let place = buffer.position
      buffer.read(into: frame, step: step)
      body(place, Array(frame.plane(0)))
    }
  }

  @Test(arguments: [400, 417, 1000])
  func atItsOwnSpeedSamplesAreUntouchedOverTheWrap(capacity: Int) {
    var differences = 0
    read(step: 1, capacity: capacity, frames: 200) {
      Float($0)
    } _: { place, samples in
      for (index, sample) in samples.enumerated() where sample != Float(place) + Float(index) {
        differences += 1
      }
    }
    #expect(differences == 0)
  }

  @Test(arguments: [0.9995, 1.0005, 1.001], [400, 417])
  func atAnotherSpeedTheSignalIsExactOverTheWrap(step: Double, capacity: Int) {
    func sine(_ place: Double) -> Float { 0.5 * Float(sin(2 * .pi * 440 * place / 8000)) }
    var largest: Float = 0
    read(step: step, capacity: capacity, frames: 500) {
      sine($0)
    } _: { place, samples in
      guard place > 100 else { return }
      for (index, sample) in samples.enumerated() {
        largest = max(largest, abs(sample - sine(place + Double(index) * step)))
      }
    }
    #expect(largest < 0.001, "\(largest)")
  }

  @Test func oldSamplesAreOverwritten() {
    var buffer = ElasticBuffer(rate: Self.rate, channelCount: 1, capacity: 400)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    for index in 0..<50 {
      fill(frame, index) { Float($0) }
      buffer.write(frame)
    }
    let (position, written) = (buffer.position, buffer.written)
    #expect(written == 4000 && position == 3600)
    buffer.read(into: frame, step: 1)
    let expected = (3600..<3680).map { Float($0) }
    #expect(Array(frame.plane(0)) == expected)
  }

  @Test func aSkipFadesFromTheOldPlaceToTheNew() {
    var buffer = ElasticBuffer(rate: Self.rate, channelCount: 1, capacity: 2000)
    let frame = Frame(rate: Self.rate, channelCount: 1)
    for index in 0..<20 {
      fill(frame, index) { $0 < 400 ? 0 : 1 }
      buffer.write(frame)
    }
    buffer.skip(800, into: frame, step: 1)
    let samples = Array(frame.plane(0))
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $1 > $0 && $1 - $0 < 0.02 })
    let position = buffer.position
    #expect(position == 880)
  }

  @Test func channelsStayApart() {
    var buffer = ElasticBuffer(rate: Self.rate, channelCount: 2, capacity: 400)
    let frame = Frame(rate: Self.rate, channelCount: 2)
    for _ in 0..<20 {
      for index in 0..<80 {
        frame.plane(0)[index] = 0.25
        frame.plane(1)[index] = -0.5
      }
      buffer.write(frame)
      while buffer.hasFrame(step: 1.0005) { buffer.read(into: frame, step: 1.0005) }
    }
    #expect(frame.plane(0).allSatisfy { abs($0 - 0.25) < 1e-4 })
    #expect(frame.plane(1).allSatisfy { abs($0 + 0.5) < 1e-4 })
  }
}
