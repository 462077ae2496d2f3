import AudioCore
import SpatialAudio
import TestAudio
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Sources and heads that move, at 48 kHz. The second difference of a sine is small, and that of a step
/// is large.
struct MotionTests {
  private static let frames = 100
  /// The error of the interpolator, 88 dB below the sine.
  private static let interpolation: Float = 2e-5

  private static func sine(_ hertz: Float) -> [Float] {
    let step = 2 * Double.pi * Double(hertz) / 48_000
    return (0..<frames * 480).map { Float(0.5 * sin(step * Double($0))) }
  }

  /// The largest second difference after the first 30 ms, in which the sine begins.
  private func roughness(_ samples: [Float]) -> Float {
    var largest: Float = 0
    for index in 1_440..<samples.count {
      let difference = samples[index] - 2 * samples[index - 1] + samples[index - 2]
      largest = max(largest, difference.magnitude)
    }
    return largest
  }

  /// The largest of still sources all around.
  private func stillRoughness(_ signal: [Float], hasReflections: Bool) throws -> Float {
    var largest: Float = 0
    for azimuth in stride(from: Float(0), to: 360, by: 3) {
      var rendering = try Rendering()
      rendering.play(
        Array(signal.prefix(3_840)), at: Placement(azimuth: azimuth),
        hasReflections: hasReflections)
      largest = max(largest, roughness(rendering.left), roughness(rendering.right))
    }
    return largest
  }

  @Test(arguments: [250, 1_000, 4_000] as [Float], [false, true])
  func aSourceThatTurnsInASecondHasNoSteps(hertz: Float, hasReflections: Bool) throws {
    let signal = Self.sine(hertz)
    var rendering = try Rendering()
    rendering.play(signal) { frame, _ in
      let placement = Placement(azimuth: Float(frame + 1) * 360 / Float(Self.frames))
      return (SourceSetting(placement: placement, hasReflections: hasReflections), .ahead)
    }
    let still = try stillRoughness(signal, hasReflections: hasReflections)
    #expect(roughness(rendering.left) < 1.1 * still + Self.interpolation)
    #expect(roughness(rendering.right) < 1.1 * still + Self.interpolation)
  }

  @Test func aHeadThatTurnsInASecondHasNoSteps() throws {
    let signal = Self.sine(1_000)
    var rendering = try Rendering()
    rendering.play(signal) { frame, _ in
      let angle = -Float(frame) * .pi / Float(Self.frames)
      let head = HeadPose(w: cosf(angle), x: 0, y: 0, z: sinf(angle))
      return (SourceSetting(), head ?? .ahead)
    }
    let still = try stillRoughness(signal, hasReflections: false)
    #expect(roughness(rendering.left) < 1.1 * still + Self.interpolation)
    #expect(roughness(rendering.right) < 1.1 * still + Self.interpolation)
  }

  /// From one side to the other in one frame, a hundred times.
  @Test func aSourceThatJumpsIsCrossFaded() throws {
    let signal = Self.sine(1_000)
    var rendering = try Rendering()
    rendering.play(signal) { frame, _ in
      (SourceSetting(placement: Placement(azimuth: frame % 2 == 0 ? 90 : -90)), .ahead)
    }
    let still = try stillRoughness(signal, hasReflections: false)
    #expect(roughness(rendering.left) < 1.25 * still)
    #expect(roughness(rendering.right) < 1.25 * still)
  }

  /// A pose is heard from the first sample of its frame, and nothing else two frames later: 960 samples
  /// at 48 kHz, 20 ms.
  @Test func aPoseIsHeardWithinTwoFrames() throws {
    let noise = Signals.noise(Self.frames * 480)
    let turned = try #require(HeadPose(yaw: 60, pitch: 0, roll: 0))
    func render(_ pose: (Int) -> HeadPose) throws -> [Float] {
      var rendering = try Rendering()
      rendering.play(noise) { frame, _ in (SourceSetting(), pose(frame)) }
      return rendering.left
    }
    let before = try render { _ in .ahead }
    let after = try render { _ in turned }
    let change = try render { $0 < 50 ? .ahead : turned }
    let first = try #require(change.indices.first { change[$0] != before[$0] })
    #expect((24_000..<24_010).contains(first))
    let last = try #require(change.indices.last { abs(change[$0] - after[$0]) > 1e-6 })
    #expect(last < 24_000 + 960)
  }
}
