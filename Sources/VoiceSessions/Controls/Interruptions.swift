/// Why the microphone is not to be had, as long as it is not: a state machine, fed with reports.
struct Interruptions {
  /// In the order in which they began.
  private(set) var lasting: [Interruption.Reason] = []

  var isEmpty: Bool { lasting.isEmpty }

  /// Whether the microphone counts as not running, whatever comes of it. One that is muted by its
  /// own switch runs.
  var stopMicrophone: Bool { lasting.contains { $0 != .hardwareMuted } }

  /// Takes in a report.
  ///
  /// - Returns: What has changed by it. Nothing for a second beginning, and for an end of what has
  ///   not begun; an end without a reason is one of all that last.
  mutating func take(_ report: InterruptionReport) -> [Interruption] {
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

/// A beginning or an end of one interruption.
public enum Interruption: Sendable, Equatable {
  public enum Reason: Sendable, CaseIterable {
    case deviceBusy, hardwareMuted, suspended, otherSession
  }

  case began(Reason)
  /// `shouldResume` is the device's advice to go on.
  case ended(Reason, shouldResume: Bool)
}

/// An interruption as it is reported.
public enum InterruptionReport: Sendable, Equatable {
  case began(Interruption.Reason)
  /// Nil for all that last.
  case ended(Interruption.Reason?, shouldResume: Bool)
}
