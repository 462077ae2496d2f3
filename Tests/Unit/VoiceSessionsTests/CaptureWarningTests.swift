import TestAudio
import Testing

@testable import VoiceSessions

struct CaptureWarningTests {
  private typealias Change = CaptureWarnings.Change

  @Test func silenceOfFourSecondsIsNoSignal() {
    var watch = Watch()
    #expect(watch.changes(399) { $0.meanSquare = 0 }.isEmpty)
    #expect(watch.changes(1).isEmpty)
    #expect(
      watch.changes(400) { $0.meanSquare = 0 } == [Change(problem: .noSignal, isActive: true)])
    #expect(watch.changes(1000) { $0.meanSquare = 0 }.isEmpty)
    #expect(watch.changes(1) == [Change(problem: .noSignal, isActive: false)])
  }

  @Test func silenceOfAnInterruptedMicrophoneCausesNoWarning() {
    var watch = Watch()
    let silence = { (seen: inout CaptureWarnings.Observation) in seen.meanSquare = 0 }
    let interruption = { (seen: inout CaptureWarnings.Observation) in
      seen.meanSquare = 0
      seen.isInterrupted = true
    }
    #expect(watch.changes(1000, interruption).isEmpty)
    #expect(watch.changes(399, silence).isEmpty)
    #expect(watch.changes(1, silence) == [Change(problem: .noSignal, isActive: true)])
    #expect(watch.changes(1, interruption) == [Change(problem: .noSignal, isActive: false)])
  }

  @Test func aLoudNoiseFloorIsNoisyAndDoesNotFlapAtItsEdge() {
    var watch = Watch()
    #expect(watch.changes(299) { $0.noiseFloor = -41 }.isEmpty)
    #expect(watch.changes(1) { $0.noiseFloor = -41 } == [Change(problem: .noisy, isActive: true)])
    for _ in 0..<10 {
      #expect(watch.changes(400) { $0.noiseFloor = -47 }.isEmpty)
      #expect(watch.changes(400) { $0.noiseFloor = -41 }.isEmpty)
      #expect(watch.changes(200) { $0.noiseFloor = -60 }.isEmpty)
      #expect(watch.changes(1) { $0.noiseFloor = -41 }.isEmpty)
    }
    #expect(
      watch.changes(300) { $0.noiseFloor = -49 } == [Change(problem: .noisy, isActive: false)])
    #expect(watch.changes(1000) { $0.noiseFloor = -45 }.isEmpty)
  }

  @Test func fullScaleInSeveralFramesIsClipping() {
    var watch = Watch()
    // One frame at full scale in a second does not count as clipping.
    for _ in 0..<10 {
      #expect(watch.changes(1) { $0.peak = 1 }.isEmpty)
      #expect(watch.changes(99).isEmpty)
    }
    #expect(watch.changes(10) { $0.peak = 1 } == [Change(problem: .clipping, isActive: true)])
    for _ in 0..<10 {
      #expect(watch.changes(250).isEmpty)
      #expect(watch.changes(10) { $0.peak = 1 }.isEmpty)
    }
    #expect(watch.changes(300) == [Change(problem: .clipping, isActive: false)])
    #expect(watch.changes(1000).isEmpty)
  }

  @Test func playingWithoutReferenceForASecondIsAProblem() {
    var watch = Watch()
    #expect(watch.changes(99) { $0.playsWithoutReference = true }.isEmpty)
    #expect(watch.changes(1).isEmpty)
    #expect(
      watch.changes(100) { $0.playsWithoutReference = true }
        == [Change(problem: .noReference, isActive: true)])
    #expect(watch.changes(99).isEmpty)
    #expect(watch.changes(1) { $0.playsWithoutReference = true }.isEmpty)
    #expect(watch.changes(100) == [Change(problem: .noReference, isActive: false)])
  }

  /// A reference that comes in blocks of half a second is late for most of each.
  @Test func aReferenceThatIsLateAgainAndAgainIsAProblem() {
    var watch = Watch()
    var changes: [Change] = []
    for _ in 0..<4 {
      changes += watch.changes(44) { $0.playsWithoutReference = true } + watch.changes(6)
    }
    #expect(changes == [Change(problem: .noReference, isActive: true)])
    var other = Watch()
    for _ in 0..<100 {
      #expect(other.changes(10) { $0.playsWithoutReference = true }.isEmpty)
      #expect(other.changes(10).isEmpty)
    }
  }

  /// A quiet frame says nothing about the channels.
  @Test func channelsInOppositePhaseForASecondOfSoundAreAProblem() {
    var watch = Watch()
    #expect(watch.changes(99) { $0.hasOppositeChannels = true }.isEmpty)
    #expect(watch.changes(500).isEmpty)
    #expect(
      watch.changes(1) { $0.hasOppositeChannels = true }
        == [Change(problem: .oppositeChannels, isActive: true)])
    #expect(watch.changes(500).isEmpty)
    #expect(
      watch.changes(200) { $0.hasOppositeChannels = false }
        == [Change(problem: .oppositeChannels, isActive: false)])
  }

  @Test func aGoodMicrophoneCausesNoWarning() {
    var watch = Watch()
    #expect(watch.changes(5000).isEmpty)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func everyProblemBeginsAndEndsInTurn(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var watch = Watch()
    var active: Set<CaptureProblem> = []
    var wrong = 0
    for _ in 0..<200 {
      let (isSilent, isPlaying) = (Bool.random(using: &random), Bool.random(using: &random))
      let (floor, peak) = (
        Float.random(in: -60 ... -30, using: &random), Float.random(in: 0.9...1.1, using: &random)
      )
      let changes = watch.changes(.random(in: 1...600, using: &random)) {
        if isSilent { $0.meanSquare = 0 }
        $0.playsWithoutReference = isPlaying
        $0.noiseFloor = floor
        $0.peak = peak
        $0.hasOppositeChannels = isSilent
        $0.referenceHasMicrophone = isPlaying
        $0.referenceHasGaps = !isPlaying
      }
      for change in changes {
        let isNew =
          change.isActive
          ? active.insert(change.problem).inserted : active.remove(change.problem) != nil
        if !isNew { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  private struct Watch {
    private var warnings = CaptureWarnings()

    /// Returns the changes after equal frames of a good microphone, with the given differences.
    mutating func changes(
      _ frames: Int, _ change: (inout CaptureWarnings.Observation) -> Void = { _ in }
    ) -> [CaptureWarnings.Change] {
      var seen = CaptureWarnings.Observation(
        meanSquare: 0.01, peak: 0.5, noiseFloor: -60, playsWithoutReference: false)
      change(&seen)
      var changes: [CaptureWarnings.Change] = []
      for _ in 0..<frames { warnings.process(seen) { changes.append($0) } }
      return changes
    }
  }
}
