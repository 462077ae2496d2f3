internal import AudioCore

/// The injections of a session, which are heard one after another.
struct InjectionQueue: ~Copyable {
  /// More injections at once are refused.
  static let capacity = 8

  /// The progress of an injection.
  struct Progress {
    enum State { case started, finished, cancelled }

    let injection: Injection
    let state: State
  }

  /// The present 10 ms for each output.
  let processed: Frame
  let playback: Frame
  /// Whether an injection is heard in them.
  private(set) var isHeard = false
  /// Whether the injection belongs into the processed output too.
  private(set) var isHeardByFarEnd = false
  /// The gain at their beginning: 0 where an injection goes on after a rest, and fades in.
  private(set) var firstGain: Float = 1
  /// The gain at their end: 0 where an injection was cancelled or rests from now on, and fades out.
  private(set) var lastGain: Float = 1
  /// Whether the injections rest.
  private var isResting = false
  private let longestPause: Int?
  private var injections: [Injection] = []

  /// Creates an empty queue. `playback` is nil without a playback. `longestPause` is the longest pause
  /// of an injection in frames, or nil for any pause.
  init(
    processed: SampleRate, playback: SampleRate?,
    longestPause: Int? = Injection.longestPauseFrames
  ) {
    self.longestPause = longestPause
    self.processed = Frame(rate: processed, channelCount: 1)
    self.playback = Frame(rate: playback ?? processed, channelCount: 1)
  }

  subscript(id: String) -> Injection? { injections.first { $0.id == id && !$0.isCancelled } }

  mutating func add(
    _ id: String, client: String, heard audience: InjectionAudience = .everywhere
  ) throws(Refusal) {
    guard self[id] == nil else {
      throw Refusal(
        .exists, reason: "INJECTION_EXISTS",
        message: "injection_id: injection \"\(id)\" is already in progress")
    }
    guard injections.count(where: { !$0.isCancelled }) < Self.capacity else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_INJECTIONS",
        message: "this session already has \(Self.capacity) injections")
    }
    injections.append(
      Injection(
        id: id, client: client, heard: audience, processed: processed.rate,
        playback: playback.rate, longestPause: longestPause))
  }

  /// Loads the next 10 ms of the first injection. While it rests, the injection waits, because nobody
  /// would hear it.
  /// Runs per frame: allocates nothing while no injection begins or ends.
  mutating func advance(isResting rests: Bool = false, _ report: (Progress) -> Void) {
    let wentOn = isResting && !rests
    let fadesOut = !isResting && rests && isHeard
    isResting = rests
    isHeard = false
    isHeardByFarEnd = false
    guard !rests || fadesOut, let injection = injections.first else { return }
    let hadStarted = injection.hasStarted
    injection.read(processed: processed, playback: playback)
    isHeard = injection.hasStarted
    isHeardByFarEnd = isHeard && injection.audience == .everywhere
    firstGain = wentOn && hadStarted ? 0 : 1
    lastGain = injection.isCancelled || fadesOut ? 0 : 1
    if injection.hasStarted, !hadStarted {
      report(Progress(injection: injection, state: .started))
    }
    let fades = injection.isFading && !isContinued
    guard injection.isOver, !fades else { return }
    injections.removeFirst()
    reportEnd(of: injection, report)
  }

  /// Whether the next injection goes on at once where the first one ends.
  private var isContinued: Bool {
    guard injections.count > 1 else { return false }
    let (ending, next) = (injections[0], injections[1])
    return next.backlog > .zero && next.client == ending.client && next.audience == ending.audience
  }

  /// Cancels the injections of a client, or all. One that is heard already fades out with the next frame.
  mutating func cancel(of client: String? = nil, _ report: (Progress) -> Void) {
    for injection in injections where client == nil || injection.client == client {
      cancel(injection.id, report)
    }
  }

  mutating func cancel(_ id: String, _ report: (Progress) -> Void) {
    guard let injection = self[id] else { return }
    injection.isCancelled = true
    report(Progress(injection: injection, state: .cancelled))
    if !injection.hasStarted { injections.removeAll { $0 === injection } }
  }

  /// Ends all injections without another frame.
  mutating func end(_ report: (Progress) -> Void) {
    for injection in injections { reportEnd(of: injection, report) }
    injections = []
  }

  /// Reports the end of an injection, unless its cancellation was reported before.
  private func reportEnd(of injection: Injection, _ report: (Progress) -> Void) {
    guard !injection.isCancelled else { return }
    report(Progress(injection: injection, state: injection.isFinished ? .finished : .cancelled))
  }
}
