internal import AudioCore
#if canImport(Glibc)
  internal import Glibc
#endif

/// The sound of a mute gesture: two tones, falling for mute and rising for unmute.
struct Chime {
  enum Kind { case mute, unmute }

  private static let low: Float = 587.33  // D5, in Hz
  private static let high: Float = 880  // A5
  private static let toneSeconds: Float = 0.08
  private static let edgeSeconds: Float = 0.01
  private static let amplitude: Float = 0.1

  private let rate: Float
  private let toneSamples: Int
  private let edgeSamples: Float
  private var kind: Kind?
  private var next: Kind?
  private var position = 0

  init(rate: SampleRate) {
    self.rate = Float(rate.hertz)
    toneSamples = Int(Self.toneSeconds * self.rate)
    edgeSamples = Self.edgeSeconds * self.rate
  }

  /// Starts a chime, at once or after the one that sounds already.
  mutating func start(_ kind: Kind) {
    if self.kind == nil {
      self.kind = kind
    } else {
      next = kind
    }
  }

  /// Adds 10 ms of the chime to every channel. Runs per frame: no allocation, lock, log or await.
  mutating func add(to frame: borrowing Frame) {
    guard kind != nil else { return }
    for index in 0..<frame.sampleCount {
      guard let kind else { return }
      let sample = sample(kind)
      for channel in 0..<frame.channelCount { frame.planePointers[channel][index] += sample }
      position += 1
      if position == 2 * toneSamples {
        position = 0
        self.kind = next.take()
      }
    }
  }

  private func sample(_ kind: Kind) -> Float {
    let isFirst = position < toneSamples
    let offset = Float(isFirst ? position : position - toneSamples)
    let frequency = (kind == .mute) == isFirst ? Self.high : Self.low
    let edge = min(offset, Float(toneSamples) - offset) / edgeSamples
    let envelope = edge >= 1 ? 1 : (1 - cosf(.pi * edge)) / 2
    return Self.amplitude * envelope * sinf(2 * .pi * frequency * offset / rate)
  }
}
