@testable import GRPCTransport

/// The rules of a call on a server, as functions of everything that has happened to the call. The
/// model is slow and was written independently of the machine. `ServerCallMachine` must agree with
/// it.
struct ServerCallModel {
  typealias Action = ServerCallMachine.Action

  enum Step: Equatable {
    case read
    case write
    case finish(Status)
    case abort(Status)
    case received
    case halfClosed
    case writeCompleted
    case cancelled
    case ended
    case timer
  }

  struct Entry: CustomStringConvertible {
    let step: Step
    let action: Action
    let time: Duration

    var description: String { "\(time): \(step) led to \(action)" }
  }

  private(set) var history: [Entry] = []

  mutating func note(_ step: Step, _ action: Action, at time: Duration) {
    history.append(Entry(step: step, action: action, time: time))
  }

  // MARK: Facts

  var readIsInFlight: Bool {
    isOpen([.read], closedBy: [.received, .halfClosed])
  }

  var writeIsInFlight: Bool { isOpen([.write], closedBy: [.writeCompleted]) }

  var lastWrite: Duration { history.last { $0.action == .write }?.time ?? .zero }

  var isHalfClosed: Bool {
    history.contains { $0.step == .halfClosed && $0.action == .deliver }
  }

  var hasStarted: Bool {
    history.contains { [.received, .halfClosed].contains($0.step) && $0.action == .deliver }
  }

  /// The time at which the transport got the status.
  var statusSent: Duration? {
    history.first { if case .finish = $0.action { true } else { false } }?.time
  }

  var isAborted: Bool {
    history.contains { entry in
      switch entry.action {
      case .abort, .abortStalled: true
      default: false
      }
    }
  }

  var isCancelled: Bool { history.contains { $0.step == .cancelled } }

  var hasEnded: Bool { history.contains { $0.step == .ended } }

  /// The status with which the handler, or a deadline, wants to end the call.
  var wantedStatus: Status? {
    for entry in history {
      if case .finish(let status) = entry.step { return status }
      if entry.step == .timer, case .finish(let status, _) = entry.action { return status }
    }
    return nil
  }

  var isOpen: Bool { wantedStatus == nil && !isAborted && !isCancelled && !hasEnded }

  /// Whether a status waits for the write in flight.
  var statusWaits: Bool {
    wantedStatus != nil && statusSent == nil && !isAborted && !isCancelled && !hasEnded
  }

  // MARK: Rules

  /// Returns the action that a step requires. Steps of a timer are not included.
  func action(of step: Step) -> Action? {
    switch step {
    case .read: isOpen && !isHalfClosed && !readIsInFlight ? .read : .ignore
    case .write: !isOpen ? .ignore : writeIsInFlight ? .refuse(.secondWriter) : .write
    case .finish(let status):
      isOpen && !writeIsInFlight ? .finish(status, Metadata()) : .ignore
    case .abort(let status): isOpen || statusWaits ? .abort(status) : .ignore
    case .received, .halfClosed: isOpen && readIsInFlight ? .deliver : .ignore
    case .writeCompleted:
      if !writeIsInFlight {
        .ignore
      } else if statusWaits, let wantedStatus {
        .finish(wantedStatus, Metadata())
      } else {
        isOpen ? .deliver : .ignore
      }
    case .cancelled: statusSent == nil && !isCancelled && !hasEnded ? .deliver : .ignore
    case .ended: hasEnded ? .ignore : .deliver
    case .timer: nil
    }
  }

  /// Returns the action that the deadlines require at a time, or `.ignore` if none has passed.
  func actionOfTimer(at time: Duration, _ deadlines: CallDeadlines) -> Action {
    if isAborted || isCancelled || hasEnded { return .ignore }
    if let write = deadlines.write {
      if let statusSent { return time >= statusSent + write.limit ? .abort(write.status) : .ignore }
      if writeIsInFlight, time >= lastWrite + write.limit {
        // If both deadlines have passed, the earlier one counts.
        guard isOpen, !hasStarted, let start = deadlines.start,
          start.limit < lastWrite + write.limit
        else { return .abortStalled(write.status) }
      }
    }
    guard let start = deadlines.start, isOpen, !hasStarted, time >= start.limit else {
      return .ignore
    }
    return writeIsInFlight ? .ignore : .finish(start.status, Metadata())
  }

  private func isOpen(_ actions: [Action], closedBy steps: [Step]) -> Bool {
    let opened = history.lastIndex { actions.contains($0.action) }
    let closed = history.lastIndex { steps.contains($0.step) }
    guard let opened else { return false }
    return closed.map { $0 < opened } ?? true
  }
}
