import AudioCore
import TestAudio
import Testing

@testable import SpatialAudio

#if canImport(Glibc)
  import Glibc
#endif

struct SceneTests {
  @Test(arguments: SampleRate.allCases)
  func theSameSceneIsTheSameBits(rate: SampleRate) throws {
    let noise = Signals.noise(20 * rate.samplesPerFrame)
    func render() throws -> Rendering {
      var rendering = try Rendering(rate: rate, sourceCount: 16)
      rendering.play(noise) { frame, source in
        let placement = Placement(
          azimuth: Float(source * 22 + frame * 3), elevation: Float(source * 10 - 80),
          distance: 0.3 + Float(source))
        let setting = SourceSetting(
          placement: placement, gain: 0.1, hasReflections: source % 2 == 0)
        return (setting, HeadPose(yaw: Float(frame), pitch: 5, roll: -5) ?? .ahead)
      }
      return rendering
    }
    let (one, other) = (try render(), try render())
    #expect(one.left == other.left)
    #expect(one.right == other.right)
    #expect(one.left.contains { $0 != 0 })
    #expect(one.left.allSatisfy { $0.isFinite })
  }

  @Test func sourcesAddUp() throws {
    let noise = Signals.noise(4_800)
    let placements = [Placement(azimuth: 30), Placement(azimuth: -100)]
    var both = try Rendering(sourceCount: 2)
    both.play(noise) { _, source in (SourceSetting(placement: placements[source]), .ahead) }
    var (one, other) = (try Rendering(), try Rendering())
    one.play(noise, at: placements[0])
    other.play(noise, at: placements[1])
    for index in both.left.indices {
      #expect(abs(both.left[index] - one.left[index] - other.left[index]) < 1e-5)
    }
  }

  @Test func levelFallsBySixDecibelsWithTwiceTheDistance() throws {
    func level(_ distance: Float) throws -> Float {
      var rendering = try Rendering()
      let step = 2 * Float.pi * 500 / 48_000
      let slow = (0..<9_600).map { sinf(step * Float($0)) }
      rendering.play(slow, at: Placement(azimuth: 0, elevation: 0, distance: distance))
      return 10 * log10f(rendering.left.suffix(4_800).reduce(0) { $0 + $1 * $1 })
    }
    #expect(abs(try level(1) - level(2) - 6.02) < 0.1)
    #expect(abs(try level(2) - level(8) - 12.04) < 0.1)
    // A source at the head is not endlessly loud.
    #expect(abs(try level(0.1) - level(0.25)) < 0.1)
  }

  @Test func airTakesHighFrequenciesFromDistantSources() throws {
    func level(_ hertz: Float, _ distance: Float) throws -> Float {
      var rendering = try Rendering()
      let step = 2 * Float.pi * hertz / 48_000
      let sine = (0..<9_600).map { sinf(step * Float($0)) }
      rendering.play(sine, at: Placement(azimuth: 0, elevation: 0, distance: distance))
      return 10 * log10f(rendering.left.suffix(4_800).reduce(0) { $0 + $1 * $1 })
    }
    let near = try level(10_000, 1) - level(500, 1)
    let far = try level(10_000, 20) - level(500, 20)
    #expect((1.5...5).contains(near - far))
  }

  @Test func reflectionsFollowWhereTheImagesAre() throws {
    let signal = [1] + Signals.silence(4_799)
    var (dry, room) = (try Rendering(), try Rendering())
    dry.play(signal, at: Placement(azimuth: 0))
    room.play(signal, at: Placement(azimuth: 0), hasReflections: true)
    let added = zip(room.left, dry.left).map { $0 - $1 }
    // The first reflection is that of the floor, 1.6 m longer than the direct way.
    let first = try #require(added.indices.first { abs(added[$0]) > 0.005 })
    let source = SIMD3<Float>(1, 0, 0)
    let ways = (0..<Room.reflectionCount).map { surface -> Float in
      let image = Room.image(source, surface: surface)
      return (image * image).sum().squareRoot() - 1
    }
    let detour = (ways.min() ?? 0) / Room.metresPerSecond * 48_000
    let expected = detour + Float(SpatialSource.leastDelay)
    #expect(abs(Float(first) - expected) < 30)
    let energy = added.reduce(0) { $0 + $1 * $1 } / dry.left.reduce(0) { $0 + $1 * $1 }
    #expect((0.005...1).contains(energy))
  }

  @Test(arguments: [Float.nan, .infinity, -.infinity, 0, 1e30, -1e30])
  func strangePlacesAreLimited(value: Float) throws {
    let placement = Placement(azimuth: value, elevation: value, distance: value)
    #expect(Placement.azimuths.contains(placement.azimuth))
    #expect(Placement.elevations.contains(placement.elevation))
    #expect(Placement.distances.contains(placement.distance))
    var rendering = try Rendering()
    rendering.play(Signals.noise(4_800), at: placement, hasReflections: true)
    #expect(rendering.left.allSatisfy { $0.isFinite })
    #expect(rendering.left.contains { $0 != 0 })
  }

  @Test func silenceStaysSilent() throws {
    var rendering = try Rendering()
    rendering.play(Signals.silence(4_800), at: Placement(azimuth: 45), hasReflections: true)
    #expect(rendering.left.allSatisfy { $0 == 0 })
    #expect(rendering.right.allSatisfy { $0 == 0 })
  }

  @Test func aFileThatIsNoSOFAIsRefused() {
    #expect(throws: SOFAError.self) {
      try HeadRelatedSet(sofaFile: "/etc/hostname", rate: .hz16000)
    }
    #expect(throws: SOFAError.self) {
      try HeadRelatedSet(sofaFile: "/nowhere.sofa", rate: .hz16000)
    }
  }
}
