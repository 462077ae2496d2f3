internal import AudioCore

/// The injections of a session, heard one after another.
struct InjectionQueue: ~Copyable {
  /// More at once are refused.
  static let capacity = 8

  /// What became of an injection.
  struct Progress {
    enum State { case started, finished, cancelled }

    let injection: Injection
    let state: State
  }

  /// The next 10 ms, for each output.
  let processed: Frame
  let playback: Frame
  /// Whether there is anything in them.
  private(set) var isHeard = false
  /// What they are heard at when they end: 0 where an injection was cancelled, to fade out.
  private(set) var lastGain: Float = 1
  private let longestPause: Int?
  private var injections: [Injection] = []

  /// `playback` is nil where there is no such output.
  /// `longestPause`, in frames, is what a client may take that sends nothing; nil for any time.
  init(
    processed: SampleRate, playback: SampleRate?,
    longestPause: Int? = Injection.longestPauseFrames
  ) {
    self.longestPause = longestPause
    self.processed = Frame(rate: processed, channelCount: 1)
    self.playback = Frame(rate: playback ?? processed, channelCount: 1)
  }

  subscript(id: String) -> Injection? { injections.first { $0.id == id } }

  mutating func add(_ id: String, client: String) throws(Refusal) {
    guard self[id] == nil else {
      throw Refusal(
        .exists, reason: "INJECTION_EXISTS", message: "injection_id: \"\(id)\" is going on already")
    }
    guard injections.count < Self.capacity else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_INJECTIONS",
        message: "\(Self.capacity) injections wait already in this session")
    }
    injections.append(
      Injection(
        id: id, client: client, processed: processed.rate, playback: playback.rate,
        longestPause: longestPause))
  }

  /// Loads the next 10 ms of the injection whose turn it is.
  /// Runs per frame: allocates nothing while no injection begins or ends.
  mutating func advance(_ report: (Progress) -> Void) {
    isHeard = false
    guard let injection = injections.first else { return }
    let hadStarted = injection.hasStarted
    injection.take(processed: processed, playback: playback)
    isHeard = injection.hasStarted
    lastGain = injection.isCancelled ? 0 : 1
    if injection.hasStarted, !hadStarted {
      report(Progress(injection: injection, state: .started))
    }
    guard injection.isOver else { return }
    injections.removeFirst()
    report(Progress(injection: injection, state: injection.isFinished ? .finished : .cancelled))
  }

  /// Cancels those of a client, or all. One that is heard already fades out with the next frame.
  mutating func cancel(of client: String? = nil, _ report: (Progress) -> Void) {
    for injection in injections where client == nil || injection.client == client {
      cancel(injection.id, report)
    }
  }

  mutating func cancel(_ id: String, _ report: (Progress) -> Void) {
    guard let injection = self[id] else { return }
    injection.isCancelled = true
    guard !injection.hasStarted else { return }
    injections.removeAll { $0 === injection }
    report(Progress(injection: injection, state: .cancelled))
  }

  /// Ends them all without another frame.
  mutating func end(_ report: (Progress) -> Void) {
    for injection in injections { report(Progress(injection: injection, state: .cancelled)) }
    injections = []
  }
}
