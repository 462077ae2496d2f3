internal import AudioCore

/// A problem with the microphone or its reference that a person could mend.
public enum CaptureProblem: UInt8, Sendable, CaseIterable {
  case noSignal, noisy, clipping, noReference, residualEcho, unsteadyClocks
  /// The microphone is behind real time. The session has no clock, so its owner reports this.
  case late
  /// The two channels of the microphone are in opposite phase, so that their mean is silence.
  case oppositeChannels
  /// The reference contains the microphone, so that the canceller removes the near voice.
  case referenceHasMicrophone
  /// Blocks of the reference are missing.
  case referenceGaps
  /// The client is ahead of real time. The session has no clock, so its owner reports this.
  case early
  /// Another voice talks than the enrolled one. `KeptVoice` reports this.
  case otherVoice
}

/// Watches the microphone and its reference for problems that a person could mend.
struct CaptureWarnings {
  struct Change: Equatable {
    let problem: CaptureProblem
    let isActive: Bool
  }

  /// The changes of one frame, at most one for each problem. Allocates nothing.
  struct Changes {
    private var began: UInt16 = 0  // a bit for each problem
    private var ended: UInt16 = 0

    mutating func add(_ change: Change) {
      let bit: UInt16 = 1 << change.problem.rawValue
      if change.isActive { began |= bit } else { ended |= bit }
    }

    func forEach(_ body: (Change) -> Void) {
      var index: UInt8 = 0
      while (began | ended) >> index != 0 {
        if let problem = CaptureProblem(rawValue: index) {
          if began >> index & 1 == 1 { body(Change(problem: problem, isActive: true)) }
          if ended >> index & 1 == 1 { body(Change(problem: problem, isActive: false)) }
        }
        index += 1
      }
    }
  }

  /// The findings on 10 ms of input.
  struct Observation {
    /// The mean square of the microphone.
    var meanSquare: Float
    /// The largest magnitude of the microphone's samples, 0...1.
    var peak: Float
    /// The noise floor of the microphone, in dBFS.
    var noiseFloor: Float
    /// Whether there is a known reason for a silent microphone.
    var isInterrupted = false
    /// Whether the frame is silence for missing samples of the microphone, which says nothing about it.
    var isConcealed = false
    /// Whether something plays that may be heard in the microphone, with no reference for it.
    var playsWithoutReference: Bool
    /// Whether the devices' clocks cannot be followed.
    var hasUnsteadyClocks = false
    /// Whether echo stays in the output; nil where nothing plays that would say so.
    var hasResidualEcho: Bool?
    /// Whether two channels are in opposite phase; nil for a frame too quiet to say so.
    var hasOppositeChannels: Bool?
    /// Whether the reference contains the microphone.
    var referenceHasMicrophone = false
    /// Whether blocks of the reference are missing.
    var referenceHasGaps = false
  }

  private var noSignal = Persistence(onset: 400, recovery: 1)  // digital silence for 4 s
  private var noisy = Persistence(onset: 300, recovery: 300)
  private var clipping = ClippingDetector()
  // A reference that comes in blocks is late for a part of each block only.
  private var noReference = Persistence(onset: 100, recovery: 100, forgets: 2)
  private var unsteadyClocks = Persistence(onset: 100, recovery: 500)
  private var residualEcho = Persistence(onset: 300, recovery: 200)
  private var oppositeChannels = Persistence(onset: 100, recovery: 200)
  // The detectors of these two persist by themselves.
  private var referenceHasMicrophone = Persistence(onset: 1, recovery: 1)
  private var referenceGaps = Persistence(onset: 1, recovery: 1)
  private var isNoisy = false

  /// Whether the warning about residual echo is active.
  var hasResidualEcho: Bool { residualEcho.isActive }

  /// The noise floor, in dBFS, above which a place becomes noisy, and below which it becomes quiet.
  private static let noisyLevel: Float = -42
  private static let quietLevel: Float = -48

  /// Runs per frame: no allocation, lock, log or await.
  mutating func process(_ seen: Observation, _ report: (Change) -> Void) {
    // A microphone that is silent between words has no noise, whatever the level of the words.
    isNoisy =
      seen.meanSquare > 0 && seen.noiseFloor > (isNoisy ? Self.quietLevel : Self.noisyLevel)
    if !seen.isConcealed {
      update(&noSignal, seen.meanSquare == 0 && !seen.isInterrupted, .noSignal, report)
      update(&noReference, seen.playsWithoutReference, .noReference, report)
    }
    update(&noisy, isNoisy, .noisy, report)
    if let isActive = clipping.process(peak: seen.peak) {
      report(Change(problem: .clipping, isActive: isActive))
    }
    update(&unsteadyClocks, seen.hasUnsteadyClocks, .unsteadyClocks, report)
    if let hasResidualEcho = seen.hasResidualEcho {
      update(&residualEcho, hasResidualEcho, .residualEcho, report)
    }
    if let hasOppositeChannels = seen.hasOppositeChannels {
      update(&oppositeChannels, hasOppositeChannels, .oppositeChannels, report)
    }
    update(
      &referenceHasMicrophone, seen.referenceHasMicrophone, .referenceHasMicrophone, report)
    update(&referenceGaps, seen.referenceHasGaps, .referenceGaps, report)
  }

  private func update(
    _ persistence: inout Persistence, _ isSeen: Bool, _ problem: CaptureProblem,
    _ report: (Change) -> Void
  ) {
    guard let isActive = persistence.process(isSeen) else { return }
    report(Change(problem: problem, isActive: isActive))
  }
}

/// Reports a condition that has lasted for `onset` frames, and its end after `recovery` frames without
/// it.
struct Persistence {
  let onset: Int
  let recovery: Int
  /// The frames that a frame without the condition takes back before it is active; all by default.
  let forgets: Int
  private(set) var isActive = false
  private var frames = 0

  init(onset: Int, recovery: Int, forgets: Int = .max) {
    self.onset = onset
    self.recovery = recovery
    self.forgets = forgets
  }

  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the condition is active, or nil if that has not changed.
  mutating func process(_ isSeen: Bool) -> Bool? {
    guard isSeen != isActive else {
      frames = isActive ? 0 : max(0, frames - forgets)
      return nil
    }
    frames += 1
    guard frames >= (isActive ? recovery : onset) else { return nil }
    isActive = isSeen
    frames = 0
    return isActive
  }
}

/// Finds a microphone that is too loud for its converter: full scale in several frames of a second.
struct ClippingDetector {
  /// The least peak that counts as full scale. A 16-bit converter reaches 0.99997.
  private static let fullScale: Float = 0.999
  private static let framesToWarn: Float = 5
  private static let quietFramesToClear = 300

  private var evidence: Float = 0
  private var framesSinceClip = 0
  private(set) var isActive = false

  /// Runs per frame: no allocation, lock, log or await.
  ///
  /// - Returns: Whether the condition is active, or nil if that has not changed.
  mutating func process(peak: Float) -> Bool? {
    let clips = peak >= Self.fullScale
    evidence = evidence * 0.99 + (clips ? 1 : 0)  // forgets within a second
    framesSinceClip = clips ? 0 : framesSinceClip + 1
    let wasActive = isActive
    if evidence >= Self.framesToWarn - 0.5 { isActive = true }
    if framesSinceClip >= Self.quietFramesToClear { isActive = false }
    return isActive == wasActive ? nil : isActive
  }
}
