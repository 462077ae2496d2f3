import AudioCore
import TestAudio
import Testing

@testable import SpatialAudio

#if canImport(Glibc)
  import Glibc
#endif

/// The differences between the ears, compared with the measured responses.
struct DirectionTests {
  private static let rates: [SampleRate] = [.hz16000, .hz44100, .hz48000]

  @Test(arguments: Self.rates)
  func differencesBetweenTheEarsAreThoseOfTheData(rate: SampleRate) throws {
    let data = try SOFAFile(path: HeadRelatedSet.genericPath).responses(hertz: rate.hertz)
    for azimuth in stride(from: Float(0), to: 360, by: 5) {
      let direction = Placement(azimuth: azimuth).vector
      let index = try #require(
        data.directions.indices.min {
          distance(data.directions[$0], direction) < distance(data.directions[$1], direction)
        })
      func response(_ ear: Int) -> [Float] {
        Array(data.samples[(2 * index + ear) * data.length..<(2 * index + ear + 1) * data.length])
      }
      let measured = Ears(left: response(0), right: response(1), rate)
      var rendering = try Rendering(rate: rate)
      rendering.play(impulse(rate, frames: 3), at: Placement(azimuth: azimuth))
      let rendered = Ears(left: rendering.left, right: rendering.right, rate)
      let delays = (measured.delay * 1e6, rendered.delay * 1e6)
      #expect(abs(delays.0 - delays.1) < max(10, 0.1 * abs(delays.0)), "\(azimuth)°, µs")
      let levels = (measured.level, rendered.level)
      #expect(abs(levels.0 - levels.1) < max(0.3, 0.1 * abs(levels.0)), "\(azimuth)°, dB")
    }
  }

  private func distance(_ one: SIMD3<Float>, _ other: SIMD3<Float>) -> Float {
    let difference = one / (one * one).sum().squareRoot() - other
    return (difference * difference).sum()
  }

  @Test func aSourceToTheLeftIsLouderAndEarlierAtTheLeftEar() throws {
    var rendering = try Rendering()
    rendering.play(impulse(.hz48000, frames: 3), at: Placement(azimuth: 90))
    let ears = Ears(left: rendering.left, right: rendering.right, .hz48000)
    #expect(ears.level > 8)
    #expect(ears.delay > 500e-6)
  }

  /// The data ends 40° below the ears.
  @Test(arguments: [0, 45, 90, 180, 270] as [Float])
  func aSourceStraightBelowIsInTheMiddle(azimuth: Float) throws {
    func ears(elevation: Float) throws -> Ears {
      var rendering = try Rendering()
      let place = Placement(azimuth: azimuth, elevation: elevation, distance: 1)
      rendering.play(impulse(.hz48000, frames: 3), at: place)
      return Ears(left: rendering.left, right: rendering.right, .hz48000)
    }
    let below = try ears(elevation: -90)
    #expect(abs(below.level) < 1.5 && abs(below.delay) < 40e-6)
    // On the way there, the differences become smaller.
    #expect(try abs(ears(elevation: -80).delay) <= abs(ears(elevation: -50).delay) + 20e-6)
  }

  @Test func aTurnedHeadHearsTheSourceOnItsOtherSide() throws {
    let noise = Signals.noise(4_800)
    var turned = try Rendering()
    turned.play(
      noise, at: Placement(azimuth: 10), head: try #require(HeadPose(yaw: 40, pitch: 0, roll: 0)))
    var moved = try Rendering()
    moved.play(noise, at: Placement(azimuth: -30))
    #expect(zip(turned.left, moved.left).allSatisfy { abs($0 - $1) < 1e-4 })
    #expect(zip(turned.right, moved.right).allSatisfy { abs($0 - $1) < 1e-4 })
  }

  /// Angles, and the direction in which such a head hears a source that is straight ahead in the room.
  @Test(arguments: [
    (SIMD3<Float>(90, 0, 0), SIMD3<Float>(0, -1, 0)),
    (SIMD3<Float>(0, 90, 0), SIMD3<Float>(0, 0, -1)),
    (SIMD3<Float>(0, 0, 90), SIMD3<Float>(1, 0, 0)),
    (SIMD3<Float>(90, 0, 90), SIMD3<Float>(0, 0, 1)),
    (SIMD3<Float>(0, 0, 0), SIMD3<Float>(1, 0, 0)),
  ])
  func posesRotateSourcesInversely(angles: SIMD3<Float>, heard: SIMD3<Float>) throws {
    let pose = try #require(HeadPose(yaw: angles.x, pitch: angles.y, roll: angles.z))
    let difference = pose.toHead([1, 0, 0]) - heard
    #expect((difference * difference).sum() < 1e-9)
  }

  @Test func aQuaternionIsThePoseOfItsAngles() throws {
    let half = Float.pi / 12
    let pose = try #require(HeadPose(w: 1.2 * cosf(half), x: 0, y: 0, z: 1.2 * sinf(half)))
    let same = try #require(HeadPose(yaw: 30, pitch: 0, roll: 0))
    let difference = pose.toHead([0, 1, 0]) - same.toHead([0, 1, 0])
    #expect((difference * difference).sum() < 1e-9)
  }

  @Test(arguments: [Float.nan, .infinity, 0, 1e30, 0.2])
  func aQuaternionOfNoRotationIsRefused(value: Float) {
    #expect(HeadPose(w: value, x: 0, y: 0, z: 0) == nil)
    #expect(HeadPose(yaw: value.isFinite && value < 1 ? 361 : value, pitch: 0, roll: 0) == nil)
  }
}

private func impulse(_ rate: SampleRate, frames: Int) -> [Float] {
  [1] + Signals.silence(frames * rate.samplesPerFrame - 1)
}

/// The differences between two ears.
struct Ears {
  /// How much later the right ear hears a sound, in seconds.
  let delay: Float
  /// How much louder the left ear hears it, in decibels.
  let level: Float

  /// The delay is found in the sound below about 1.5 kHz, where people hear it.
  init(left: [Float], right: [Float], _ rate: SampleRate) {
    func energy(_ samples: [Float]) -> Float { samples.reduce(0) { $0 + $1 * $1 } }
    level = 10 * log10f(energy(left) / energy(right))
    let (low, other) = (Self.lowPassed(left, rate), Self.lowPassed(right, rate))
    let limit = rate.hertz / 1_000
    func likeness(_ lag: Int) -> Float {
      low.indices.reduce(0) { sum, index in
        other.indices.contains(index + lag) ? sum + low[index] * other[index + lag] : sum
      }
    }
    let values = (-limit...limit).map(likeness)
    let best = values.indices.dropFirst().dropLast().max { values[$0] < values[$1] } ?? limit
    let (before, peak, after) = (values[best - 1], values[best], values[best + 1])
    let part = (before - after) / (2 * (before - 2 * peak + after))
    delay = (Float(best - limit) + part) / Float(rate.hertz)
  }

  private static func lowPassed(_ samples: [Float], _ rate: SampleRate) -> [Float] {
    let openness = 1 - expf(-2 * .pi * 1_500 / Float(rate.hertz))
    var states = SIMD4<Float>()
    return samples.map { sample in
      states[0] += openness * (sample - states[0])
      for index in 1..<4 { states[index] += openness * (states[index - 1] - states[index]) }
      return states[3]
    }
  }
}
