import AudioCore
import Testing

@testable import AnechoicEngine

struct OnsetLimitTests {
  /// Returns the least gains of the next frames, in decibels. A gain of 0 has the level -infinity.
  private func limits(_ onset: inout OnsetLimit, frames: Int = 120) -> [Float] {
    (0..<frames).map { _ in
      onset.advance(isSilent: false)
      let gain = onset.minimumGain
      return gain == 0 ? -.infinity : Decibels.level(meanSquare: gain * gain)
    }
  }

  @Test func theFirst25FramesOfACallAreSuppressedByTenDecibelsAtMost() {
    var onset = OnsetLimit()
    let limits = limits(&onset)
    #expect(limits.prefix(25).allSatisfy { abs($0 - -10) < 0.01 }, "\(limits)")
    #expect(limits[25] < -10.5)
  }

  @Test func the50FramesAfterASilenceAreSuppressedByThreeDecibelsAtMost() {
    var onset = OnsetLimit()
    _ = limits(&onset, frames: 300)
    for _ in 0..<10 { onset.advance(isSilent: true) }
    #expect(abs(Decibels.factor(-3) - onset.minimumGain) < 1e-4)
    let limits = limits(&onset)
    #expect(limits.prefix(50).allSatisfy { abs($0 - -3) < 0.01 }, "\(limits)")
    #expect(limits[50] < -3.5)
  }

  @Test(arguments: [true, false])
  func thenTheLimitFallsByFourDecibelsAFrame(isAfterSilence: Bool) {
    var onset = OnsetLimit()
    if isAfterSilence { onset.advance(isSilent: true) }
    let falling = limits(&onset).dropFirst(isAfterSilence ? 49 : 24).prefix(10)
    for (before, after) in zip(falling, falling.dropFirst()) {
      #expect(abs(before - after - 4) < 0.02, "\(Array(falling))")
    }
  }

  @Test(arguments: [true, false])
  func after80FramesNothingIsLimited(isAfterSilence: Bool) {
    var onset = OnsetLimit()
    if isAfterSilence { onset.advance(isSilent: true) }
    let limits = limits(&onset, frames: 10_000)
    #expect(limits[78] < -80)
    #expect(limits.dropFirst(79).allSatisfy { $0 == -.infinity })
  }

  @Test func aSilenceInTheFirstFramesBeginsTheLimitAnew() {
    var onset = OnsetLimit()
    _ = limits(&onset, frames: 40)
    onset.advance(isSilent: true)
    #expect(limits(&onset).prefix(50).allSatisfy { abs($0 - -3) < 0.01 })
  }
}
