import AcousticSimulator
import TestAudio
import Testing

struct EchoSceneTests {
  private static let far = Signals.noise(16_000 * 2, amplitude: 0.3)

  @Test(arguments: [0, 0.01, 0.5])
  func anEchoComesAsLateAsWasAskedFor(lag: Double) {
    var scene = EchoScene(rate: 16_000)
    scene.lag = lag
    scene.noiseLevel = nil
    let recording = scene.record(farEnd: Self.far)
    let found = TestAudio.lag(
      of: Array(recording.echo.suffix(20_000)), behind: Array(recording.reference.suffix(20_000)),
      limit: 9000)
    #expect(found == Int(lag * 16_000))
  }

  @Test func anEchoIsAsLoudAsWasAskedFor() {
    var scene = EchoScene(rate: 16_000)
    scene.echoReturnLoss = 12
    let recording = scene.record(farEnd: Self.far)
    #expect(abs(level(Self.far) - level(recording.echo) - 12) < 1)
  }

  @Test func aDriftAndAJumpAddUp() {
    var scene = EchoScene(rate: 16_000)
    scene.lag = 0.1
    scene.driftPPM = 500
    scene.jumps = [(1, 0.05)]
    #expect(abs(scene.lag(at: 0.5) - 0.10025) < 1e-9)
    #expect(abs(scene.lag(at: 1.5) - 0.15075) < 1e-9)
  }

  @Test func theNearEndAndGapsAreWhereTheyBelong() {
    var scene = EchoScene(rate: 16_000)
    scene.referenceGaps = [1..<1.5]
    scene.noiseLevel = nil
    let near = Signals.noise(8000, seed: 4)
    let recording = scene.record(farEnd: Self.far, near: near)
    #expect(recording.reference[16_000..<24_000].allSatisfy { $0 == 0 })
    #expect(recording.reference[24_000] == Self.far[24_000])
    #expect(recording.near.count == Self.far.count && recording.near[100] == near[100])
    #expect(abs(recording.microphone[100] - recording.echo[100] - near[100]) < 1e-6)
    #expect(level(recording.echo[17_000..<23_000]) > -30)
  }

  @Test func theSameSceneSoundsTheSame() {
    let scene = EchoScene(rate: 16_000)
    #expect(scene.record(farEnd: Self.far).microphone == scene.record(farEnd: Self.far).microphone)
  }

  @Test func aRoomHasAllOfItsPower() {
    for room in Room.allCases {
      let power = room.response(16_000).reduce(0) { $0 + $1 * $1 }
      #expect(abs(power - 1) < 1e-4)
    }
  }
}
