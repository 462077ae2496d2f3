public import AnechoicAPI

/// A change in a `LiveVoice`.
public enum LiveVoiceEvent: Sendable {
  /// The output is processed from here on, by this session.
  case processing(session: String)
  /// The output is the microphone or silence from here on, for this reason. The voice reconnects by
  /// itself.
  case fallback(reason: String)
  /// Processed sound arrived later than the delay allows, by this time. At most once in ten seconds.
  case late(by: Duration)
  /// An event of the session.
  case session(Anechoic_V1_SessionEvent)
}

/// The events that wait to be read, the newest 256.
struct LiveVoiceEvents {
  private static let capacity = 256
  private var waiting: [LiveVoiceEvent] = []
  /// Whether the last change said that sound is processed. Nil before the first change.
  private var isProcessing: Bool?
  /// Whether the last change was a refusal.
  private var isRefused = false

  mutating func add(_ event: LiveVoiceEvent) {
    switch event {
    case .processing:
      guard isProcessing != true else { return }
      (isProcessing, isRefused) = (true, false)
    case .fallback: isProcessing = false
    case .late, .session: break
    }
    if waiting.count == Self.capacity { waiting.removeFirst() }
    waiting.append(event)
  }

  /// Adds, once, the event that no sound is processed any more. A refusal that only a person can
  /// resolve is added as well.
  mutating func addFallback(_ reason: String, isRefusal: Bool = false) {
    guard isProcessing != false || isRefusal && !isRefused else { return }
    isRefused = isRefusal
    add(.fallback(reason: reason))
  }

  mutating func next() -> LiveVoiceEvent? { waiting.isEmpty ? nil : waiting.removeFirst() }
}
