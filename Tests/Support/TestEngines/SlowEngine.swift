public import AudioCore
public import VoiceEngines

#if canImport(Glibc)
  internal import Glibc
#endif

/// A mock of an engine that costs much: a `DelayEngine` that spends processor time on nothing, 4 ms
/// for each frame, and 0.2 ms in its reduced mode.
open class SlowEngine: DelayEngine {
  /// The processor time of a frame in nanoseconds.
  open class var cost: Int { 4_000_000 }
  private static let reducedCost = 200_000
  open override class var hasReducedMode: Bool { true }
  open override class var identity: EngineIdentity {
    EngineIdentity(name: "slow", version: "1", weights: "")
  }

  private var isReduced: Bool

  public required init(format: EngineFormat, settings: EngineSettings) {
    isReduced = settings.isReduced
    super.init(format: format, settings: settings)
  }

  public override func apply(_ settings: EngineSettings, after samples: Int) {
    isReduced = settings.isReduced
  }

  public override func process(
    microphone: borrowing Frame, reference: borrowing Frame, conditions: EchoConditions,
    into output: borrowing Frame
  ) -> FrameFindings {
    let end = Self.processorTime() + (isReduced ? Self.reducedCost : Self.cost)
    while Self.processorTime() < end {}
    return super.process(
      microphone: microphone, reference: reference, conditions: conditions, into: output)
  }

  /// The processor time of this thread in nanoseconds.
  private static func processorTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}

/// The same mock with 30 ms for each frame, three times as long as real time allows.
public final class HopelessEngine: SlowEngine {
  public override class var cost: Int { 30_000_000 }
  public override class var identity: EngineIdentity {
    EngineIdentity(name: "hopeless", version: "1", weights: "")
  }
}
