/// Controls that wait for their sample.
struct ControlSchedule {
  /// More than this many at once are refused.
  static let capacity = 64

  private var waiting: [SessionControl] = []

  var isEmpty: Bool { waiting.isEmpty }

  mutating func add(_ control: SessionControl) throws(Refusal) {
    guard waiting.count < Self.capacity else {
      throw Refusal(
        .tooMany, reason: "TOO_MANY_CONTROLS",
        message: "\(Self.capacity) controls wait already for their sample")
    }
    waiting.append(control)
  }

  /// Takes out the controls due in a frame: by their sample, then in the order that they came.
  mutating func takeDue(in frame: Range<Int64>) -> [SessionControl] {
    let due = waiting.filter { $0.isDue(in: frame) }
    guard !due.isEmpty else { return [] }
    waiting.removeAll { $0.isDue(in: frame) }
    return due.enumerated()
      .sorted { ($0.element.atSample ?? 0, $0.offset) < ($1.element.atSample ?? 0, $1.offset) }
      .map(\.element)
  }

  mutating func takeAll() -> [SessionControl] {
    defer { waiting = [] }
    return waiting.sorted { ($0.atSample ?? 0) < ($1.atSample ?? 0) }
  }
}
