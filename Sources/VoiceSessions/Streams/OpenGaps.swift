/// Gaps that go on: a client that has nothing to send for a while says how far time has come, and what
/// was missing is told once, when there are samples again.
struct OpenGaps {
  struct Gap {
    var reason: GapReason
    var missingSamples: Int64
  }

  private var microphone: Gap?
  private var reference: Gap?
  private var farEnd: Gap?
  private var otherAudio: Gap?

  /// Whether the microphone is known to be away.
  var hasMicrophone: Bool { microphone != nil }

  /// More is missing, for the reason of the first time.
  mutating func add(_ missing: Int64, _ reason: GapReason, to input: InputKind) {
    let missingSamples = (self[input]?.missingSamples ?? 0) + missing
    self[input] = Gap(reason: self[input]?.reason ?? reason, missingSamples: missingSamples)
  }

  /// There are samples again.
  mutating func close(_ input: InputKind) -> Gap? {
    defer { self[input] = nil }
    return self[input]
  }

  private subscript(input: InputKind) -> Gap? {
    get {
      switch input {
      case .microphone: microphone
      case .reference: reference
      case .farEnd: farEnd
      case .otherAudio: otherAudio
      }
    }
    set {
      switch input {
      case .microphone: microphone = newValue
      case .reference: reference = newValue
      case .farEnd: farEnd = newValue
      case .otherAudio: otherAudio = newValue
      }
    }
  }
}
