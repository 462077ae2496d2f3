/// The interruptions of the microphone that last: a state machine that takes in reports.
struct Interruptions {
  /// The interruptions that last, in the order in which they began.
  private(set) var lasting: [Interruption.Reason] = []

  var isEmpty: Bool { lasting.isEmpty }

  /// Whether an interruption stops the microphone, even if samples arrive. A microphone that is
  /// muted by its own switch runs.
  var stopMicrophone: Bool { lasting.contains { $0 != .hardwareMuted } }

  /// Handles a report.
  ///
  /// - Returns: The interruptions that began or ended. A repeated beginning, or the end of an
  ///   interruption that has not begun, changes nothing. An end without a reason ends all.
  mutating func accept(_ report: InterruptionReport) -> [Interruption] {
    switch report {
    case .began(let reason):
      guard !lasting.contains(reason) else { return [] }
      lasting.append(reason)
      return [.began(reason)]
    case .ended(let reason, let shouldResume):
      let over = lasting.filter { reason == nil || $0 == reason }
      lasting.removeAll { over.contains($0) }
      return over.map { .ended($0, shouldResume: shouldResume) }
    }
  }
}

/// The beginning or the end of an interruption.
public enum Interruption: Sendable, Equatable {
  public enum Reason: Sendable, CaseIterable {
    case deviceBusy, hardwareMuted, suspended, otherSession
  }

  case began(Reason)
  /// `shouldResume` is the device's advice to resume.
  case ended(Reason, shouldResume: Bool)
}

/// A report of an interruption.
public enum InterruptionReport: Sendable, Equatable {
  case began(Interruption.Reason)
  /// A nil reason ends all interruptions.
  case ended(Interruption.Reason?, shouldResume: Bool)
}
