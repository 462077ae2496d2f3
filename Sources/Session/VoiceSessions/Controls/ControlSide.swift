internal import AudioCore

/// The control side of a session: what clients ask of it and report to it, until the session acts on
/// it.
struct ControlSide {
  var gestures = MuteGestures()
  private(set) var route = RouteHistory()
  private(set) var interruptions = Interruptions()
  private var schedule = ControlSchedule()
  private var budget = ControlBudget.controls
  private var reportBudget = ControlBudget.deviceReports

  /// Refills the budgets of the media client.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func refill() {
    budget.refill()
    reportBudget.refill()
  }

  /// Admits a control, and keeps it where its sample has not come yet.
  ///
  /// - Returns: Whether the session applies the control now.
  mutating func admit(
    _ control: SessionControl, at position: Int64, rate: SampleRate
  ) throws(Refusal) -> Bool {
    // The controls of other clients are counted where they arrive.
    if control.origin.isMediaClient { try budget.spend() }
    guard let sample = control.atSample, sample > position else { return true }
    // The place of a caller that went away is free again some time.
    guard control.origin.isMediaClient || sample - position <= Self.longestWait(rate) else {
      throw Refusal(
        .invalid, reason: "TOO_FAR_AHEAD",
        message: "at_sample: \(sample) is more than an hour ahead of \(position), the next sample")
    }
    try schedule.add(control)
    return false
  }

  /// The number of samples by which a control of another client than the media client may be ahead.
  private static func longestWait(_ rate: SampleRate) -> Int64 { 3600 * Int64(rate.hertz) }

  /// Takes out the controls that are due within the given samples, in the order of their samples.
  /// Runs per frame: allocates only where a control is due.
  mutating func popDue(in samples: Range<Int64>) -> [SessionControl] {
    schedule.isEmpty ? [] : schedule.popDue(in: samples)
  }

  /// Takes out all controls that wait, in the order of their samples.
  mutating func popAll() -> [SessionControl] { schedule.popAll() }

  /// Admits a device report of the media client.
  mutating func admitReport() throws(Refusal) { try reportBudget.spend() }

  /// Handles a report of a route.
  ///
  /// - Returns: The change, or nil where the route is the same again.
  mutating func accept(_ report: RouteChange) -> RouteChange? { route.accept(report) }

  /// Handles a report of an interruption.
  ///
  /// - Returns: The interruptions that began or ended by it.
  mutating func accept(_ report: InterruptionReport) -> [Interruption] {
    interruptions.accept(report)
  }
}

/// Controls that wait for their sample.
struct ControlSchedule {
  /// More controls of the media client than this at once are refused, and of all other clients together.
  static let capacity = 64
  static let othersCapacity = 16
  /// More controls of one other client than this at once are refused.
  static let otherCapacity = 4

  private var waiting: [SessionControl] = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ control: SessionControl) throws(Refusal) {
    let isOther = !control.origin.isMediaClient
    let capacity = isOther ? Self.othersCapacity : Self.capacity
    let hasRoom = waiting.count(where: { $0.origin.isMediaClient != isOther }) < capacity
    let hasShare =
      !isOther || waiting.count(where: { $0.origin == control.origin }) < Self.otherCapacity
    guard hasRoom, hasShare else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_CONTROLS",
        message: "\(hasRoom ? Self.otherCapacity : capacity) controls already wait for their sample"
      )
    }
    waiting.append(control)
  }

  /// Takes out the controls due in a frame: by their sample, then in the order of their arrival.
  mutating func popDue(in frame: Range<Int64>) -> [SessionControl] {
    let due = waiting.filter { $0.isDue(in: frame) }
    guard !due.isEmpty else { return [] }
    waiting.removeAll { $0.isDue(in: frame) }
    return due.enumerated()
      .sorted { ($0.element.atSample ?? 0, $0.offset) < ($1.element.atSample ?? 0, $1.offset) }
      .map(\.element)
  }

  mutating func popAll() -> [SessionControl] {
    defer { waiting = [] }
    return waiting.sorted { ($0.atSample ?? 0) < ($1.atSample ?? 0) }
  }
}

/// Limits how many messages of one kind a media client may send: a burst, and then a number for each
/// second of audio.
struct ControlBudget {
  static let controls = ControlBudget(
    "controls", reason: "TOO_MANY_CONTROLS", burst: 200, perSecond: 100)
  /// Devices change rarely, and a report may reset more of a session than a control changes.
  static let deviceReports = ControlBudget(
    "device reports", reason: "TOO_MANY_REPORTS", burst: 20, perSecond: 10)

  let burst: Int
  private let price: Int  // in frames
  private let refusal: Refusal
  private var left: Int  // in frames

  private init(_ kind: String, reason: String, burst: Int, perSecond: Int) {
    self.burst = burst
    price = 100 / perSecond
    left = burst * price
    refusal = Refusal(
      .tooMany, reason: reason,
      message: "more than \(burst) \(kind) at once, or \(perSecond) in a second of audio")
  }

  /// Runs per frame: no allocation, lock, log or await.
  mutating func refill() { left = min(left + 1, burst * price) }

  mutating func spend() throws(Refusal) {
    guard left >= price else { throw refusal }
    left -= price
  }
}
