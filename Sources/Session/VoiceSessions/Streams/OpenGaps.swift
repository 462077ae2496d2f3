/// The gaps of a session's inputs that go on, and the number of all samples that were missing.
///
/// A client without samples for a while may extend a gap with chunks that have none. The gap is
/// announced once, with the next samples.
struct OpenGaps {
  struct Gap {
    var reason: GapReason
    var missingSamples: Int64
  }

  /// The missing samples of all inputs since the session started.
  private(set) var concealedSamples: UInt64 = 0
  private var microphone: Gap?
  private var reference: Gap?
  private var farEnd: Gap?
  private var otherAudio: Gap?
  private var farEnds: [Gap?]

  init(farEnds count: Int = 0) { farEnds = Array(repeating: nil, count: count) }

  /// Whether a gap of the microphone goes on.
  var hasMicrophone: Bool { microphone != nil }

  /// Opens or extends a gap. The reason of the first call holds for the whole gap.
  mutating func add(_ missing: Int64, _ reason: GapReason, to input: InputKind) {
    concealedSamples += UInt64(missing)
    let missingSamples = (self[input]?.missingSamples ?? 0) + missing
    self[input] = Gap(reason: self[input]?.reason ?? reason, missingSamples: missingSamples)
  }

  /// Closes a gap and returns it, or nil where none was open.
  mutating func close(_ input: InputKind) -> Gap? {
    defer { self[input] = nil }
    return self[input]
  }

  /// Opens or extends the gap of a named far end.
  mutating func add(_ missing: Int64, _ reason: GapReason, toFarEnd index: Int) {
    concealedSamples += UInt64(missing)
    let missingSamples = (farEnds[index]?.missingSamples ?? 0) + missing
    farEnds[index] = Gap(reason: farEnds[index]?.reason ?? reason, missingSamples: missingSamples)
  }

  /// Closes the gap of a named far end and returns it, or nil where none was open.
  mutating func close(farEnd index: Int) -> Gap? {
    defer { farEnds[index] = nil }
    return farEnds[index]
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
