import TestAudio
import Testing

@testable import VoiceSessions

struct DuckerTests {
  private typealias Ducking = SessionConfiguration.Ducking

  @Test func theLevelsAreThoseOfTheDesign() {
    #expect(Ducking.Level.allCases.map(\.attenuation) == [4, 12, 18, 30])
    #expect(Ducking().level == .standard && !Ducking().isAdvanced)
  }

  @Test(arguments: Ducking.Level.allCases)
  func fixedDuckingIsTheSameWhoeverTalks(level: SessionConfiguration.Ducking.Level) {
    let settings = ducking(level, isAdvanced: false)
    var ducker = Ducker(settings)
    for frame in 0..<300 {
      let change = ducker.process(
        nearEndTalks: frame % 100 > 50, farEndTalks: frame % 70 > 40, settings)
      #expect(change == nil)
      #expect(ducker.gain == -level.attenuation)
    }
  }

  @Test(arguments: Ducking.Level.allCases)
  func advancedDuckingEasesOffToAThirdWhileNobodyTalks(level: SessionConfiguration.Ducking.Level) {
    let settings = ducking(level, isAdvanced: true)
    var ducker = Ducker(settings)
    #expect(ducker.gain == -level.attenuation / 3)
    let down = ducker.process(nearEndTalks: true, farEndTalks: false, settings)
    #expect(down == Ducker.Change(gain: -level.attenuation, talking: .nearEnd, share: 0))
    // Attack: the full attenuation is reached after 100 ms and not before.
    for _ in 0..<8 { talk(&ducker, settings) }
    #expect(ducker.gain > -level.attenuation)
    talk(&ducker, settings)
    #expect(abs(ducker.gain + level.attenuation) < 0.001)
    // Hold: 500 ms.
    for _ in 0..<49 {
      let change = ducker.process(nearEndTalks: false, farEndTalks: false, settings)
      #expect(change == nil && abs(ducker.gain + level.attenuation) < 0.001)
    }
    // Release: 1 s.
    let up = ducker.process(nearEndTalks: false, farEndTalks: false, settings)
    #expect(up == Ducker.Change(gain: -level.attenuation / 3, talking: nil, share: 0))
    for _ in 0..<98 { rest(&ducker, settings) }
    #expect(ducker.gain < -level.attenuation / 3)
    rest(&ducker, settings)
    #expect(abs(ducker.gain + level.attenuation / 3) < 0.001)
  }

  @Test func aPauseShorterThanTheHoldChangesNothing() {
    let settings = ducking(.mid, isAdvanced: true)
    var ducker = Ducker(settings)
    talk(&ducker, settings)
    for _ in 0..<10 {
      for frame in 0..<60 {
        let change = ducker.process(nearEndTalks: false, farEndTalks: frame > 45, settings)
        #expect(change == nil)
      }
    }
    #expect(abs(ducker.gain + 18) < 0.001)
  }

  @Test func theChangeNamesTheSideThatTalks() {
    let settings = ducking(.standard, isAdvanced: true)
    var ducker = Ducker(settings)
    let change = ducker.process(nearEndTalks: false, farEndTalks: true, settings)
    #expect(change?.talking == .farEnd)
  }

  @Test func theSettingsChangeWhileItRuns() {
    var ducker = Ducker(ducking(.min, isAdvanced: false))
    let louder = ducking(.max, isAdvanced: false)
    let change = ducker.process(nearEndTalks: false, farEndTalks: false, louder)
    #expect(change == Ducker.Change(gain: -30, talking: nil, share: 0))
    for _ in 0..<9 { rest(&ducker, louder) }
    #expect(abs(ducker.gain + 30) < 0.001)
    let eased = ducking(.max, isAdvanced: true)
    let release = ducker.process(nearEndTalks: false, farEndTalks: false, eased)
    #expect(release == Ducker.Change(gain: -10, talking: nil, share: 0))
    for _ in 0..<99 { rest(&ducker, eased) }
    #expect(abs(ducker.gain + 10) < 0.001)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func theGainNeverJumpsAndChangesAreReportedOnce(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var settings = ducking(.standard, isAdvanced: true)
    var ducker = Ducker(settings)
    var (isNear, isFar) = (false, false)
    var said = ducker.gain
    var wrong: [Int] = []
    for frame in 0..<5000 {
      if random.happens(onceIn: 40) { isNear.toggle() }
      if random.happens(onceIn: 40) { isFar.toggle() }
      if random.happens(onceIn: 200) {
        settings = ducking(
          Ducking.Level.allCases.randomElement(using: &random) ?? .mid,
          isAdvanced: .random(using: &random))
      }
      let before = ducker.gain
      let change = ducker.process(nearEndTalks: isNear, farEndTalks: isFar, settings)
      // The largest change within an attack is from the lowest to the highest attenuation.
      let isSmooth = abs(ducker.gain - before) < (30 - 4 / 3) / 10 + 0.01
      let isWithin = (-30...(-4 / 3)).contains(ducker.gain)
      if !isSmooth || !isWithin || change?.gain == said { wrong.append(frame) }
      said = change?.gain ?? said
    }
    #expect(wrong.isEmpty)
    for _ in 0..<200 { rest(&ducker, settings) }
    #expect(abs(ducker.gain - Ducker.gain(settings, isTalking: false)) < 0.001)
  }

  private func ducking(_ level: Ducking.Level, isAdvanced: Bool) -> Ducking {
    var ducking = Ducking()
    ducking.level = level
    ducking.isAdvanced = isAdvanced
    return ducking
  }

  private func talk(_ ducker: inout Ducker, _ settings: Ducking) {
    _ = ducker.process(nearEndTalks: true, farEndTalks: false, settings)
  }

  private func rest(_ ducker: inout Ducker, _ settings: Ducking) {
    _ = ducker.process(nearEndTalks: false, farEndTalks: false, settings)
  }
}
