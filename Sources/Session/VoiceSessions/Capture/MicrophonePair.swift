internal import AudioCore

#if canImport(Glibc)
  internal import Glibc
#endif

/// Two microphones near each other, combined into a direction.
///
/// One microphone minus the other, delayed by the time that sound travels between them, hears nothing from
/// the side of the other one: a cardioid. This difference is small at low frequencies. An integrator
/// restores them. The method is the first-order differential microphone (Elko and Pong, "A simple adaptive
/// first-order differential microphone", WASPAA 1995), with a fixed null. It adds no delay.
public struct MicrophonePair {
  /// The arrangement of two microphones, and the direction in which they hear.
  public struct Layout: Sendable, Equatable {
    /// The distances that are supported, in meters.
    public static let spacings: ClosedRange<Float> = 0.005...0.05

    public enum Pattern: Sendable {
      /// Both channels hear the first microphone's side.
      case cardioid
      /// Each channel hears the side of its own microphone.
      case stereo
    }

    /// The distance of the microphones in meters.
    public var spacing: Float
    public var pattern: Pattern
    /// Whether the device is held the other way round, so that the microphones have changed places.
    public var isTurned: Bool

    public init(spacing: Float, pattern: Pattern, isTurned: Bool = false) {
      self.spacing = spacing
      self.pattern = pattern
      self.isTurned = isTurned
    }
  }

  private let rate: SampleRate
  private var beam: Beam
  /// The beam that follows, with the next frame.
  private var next: Beam?

  /// Creates a pair. Without a layout, the channels stay as they are.
  init(_ layout: Layout?, rate: SampleRate) {
    self.rate = rate
    beam = Beam(layout, rate: rate)
  }

  /// Hears in another way from the next frame on, which cross-fades.
  mutating func change(to layout: Layout?) {
    let isNew = layout != (next ?? beam).layout
    if isNew { next = Beam(layout, rate: rate) }
  }

  /// Replaces both channels of a frame. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ frame: borrowing Frame) {
    let (left, right) = (frame.planePointers[0], frame.planePointers[1])
    guard var next else {
      guard beam.layout != nil else { return }
      for index in 0..<frame.sampleCount {
        (left[index], right[index]) = beam.next(left[index], right[index])
      }
      beam.settle()
      return
    }
    let step = 1 / Float(frame.sampleCount)
    for index in 0..<frame.sampleCount {
      let (old, new) = (
        beam.next(left[index], right[index]), next.next(left[index], right[index])
      )
      let share = Float(index + 1) * step
      left[index] = old.left + share * (new.left - old.left)
      right[index] = old.right + share * (new.right - old.right)
    }
    beam = next
    self.next = nil
  }
}

/// The way in which two microphones hear.
private struct Beam {
  /// Nil where the channels stay as they are.
  let layout: MicrophonePair.Layout?
  private var first: Difference
  private var second: Difference

  init(_ layout: MicrophonePair.Layout?, rate: SampleRate) {
    self.layout = layout
    let spacing = layout?.spacing ?? MicrophonePair.Layout.spacings.lowerBound
    first = Difference(spacing: spacing, rate: rate)
    second = first
  }

  /// Returns both channels of the next sample. Runs per sample: no allocation, lock, log or await.
  mutating func next(_ left: Float, _ right: Float) -> (left: Float, right: Float) {
    guard let layout else { return (left, right) }
    let (here, there) = layout.isTurned ? (right, left) : (left, right)
    let ahead = first.next(near: here, far: there)
    switch layout.pattern {
    case .cardioid: return (ahead, ahead)
    case .stereo: return (ahead, second.next(near: there, far: here))
    }
  }
}

extension Beam {
  /// Becomes silent once its microphones are. Runs per frame: no allocation, lock, log or await.
  fileprivate mutating func settle() {
    first.settle()
    second.settle()
  }
}

/// A near microphone minus a delayed far one, with all frequencies equally loud.
private struct Difference {
  /// The speed of sound in meters per second, at 20 °C.
  private static let speedOfSound: Float = 343
  /// The frequency in Hz below which the integrator forgets, so that noise does not pile up.
  private static let lowest: Float = 60
  /// The frequency in Hz below which the difference is left out. The integrator would make two constants
  /// that differ by a hundredth of full scale almost as loud as full scale.
  private static let lowestChange: Float = 10
  /// The share of the difference beside its integral. With it, the response stays within 1 dB up to the
  /// frequency whose quarter of a wave is the spacing.
  private static let direct: Float = 0.385

  private static let inaudible: Float = 1e-7  // -140 dBFS

  private let allPass: Float
  private let wholeDelay: Int
  private let gain: Float
  private let memory: Float
  /// The part by which the constant follows the difference in a sample, at least.
  private let following: Float
  /// The last samples of the far microphone, the newest first.
  private var far: InlineArray<9, Float> = .init(repeating: 0)
  private var delayed: Float = 0
  private var count: Float = 0
  private var constant: Float = 0
  private var difference: Float = 0
  private var integral: Float = 0

  init(spacing: Float, rate: SampleRate) {
    let hertz = Float(rate.hertz)
    let delay = spacing / Self.speedOfSound * hertz
    // The fraction of an all-pass of the first order is best around one sample (Thiran).
    wholeDelay = max(0, Int((delay - 1).rounded()))
    let fraction = delay - Float(wholeDelay)
    allPass = (1 - fraction) / (1 + fraction)
    gain = 1 / (4 * delay)
    memory = expf(-2 * .pi * Self.lowest / hertz)
    following = 1 - expf(-2 * .pi * Self.lowestChange / hertz)
  }

  /// Returns the next sample. Runs per sample: no allocation, lock, log or await.
  mutating func next(near: Float, far sample: Float) -> Float {
    for index in stride(from: wholeDelay + 1, to: 0, by: -1) { far[index] = far[index - 1] }
    far[0] = sample
    delayed = allPass * (far[wholeDelay] - delayed) + far[wholeDelay + 1]
    let before = difference
    // The mean of all samples at first.
    count = min(count + 1, 1 / following)
    constant += (near - delayed - constant) / count
    difference = near - delayed - constant
    integral = memory * integral + gain * (difference + before)
    return integral + Self.direct * difference
  }

  /// Forgets what is too small to be heard, which would fade for ever and slow down each sample.
  mutating func settle() {
    guard max(abs(integral), abs(constant), abs(difference), abs(delayed)) < Self.inaudible else {
      return
    }
    (integral, constant, difference, delayed) = (0, 0, 0, 0)
    // The constants of microphones that are switched on again are found as at the beginning.
    count = 0
  }
}
