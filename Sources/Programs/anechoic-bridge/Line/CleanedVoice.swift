internal import AnechoicAPI
internal import LiveVoice

/// The microphone of a call, which a server processes.
protocol CleanedVoice {
  /// Adds samples of one instant.
  func push(_ microphone: [Int16], reference: [Int16])
  /// Returns processed samples, at most as many as were pushed and not pulled yet.
  func pull(_ count: Int) -> [Int16]
  /// Returns the next change, or nil if there is none.
  func nextChange() -> VoiceChange?
  func close()
}

/// A change in the processing of a voice.
enum VoiceChange: Equatable {
  /// A session processes the voice from here on.
  case processing(session: String)
  /// The voice is not processed from here on.
  case fallback(reason: String)
  /// Processed sound came too late.
  case late(Duration)
  case turnStarted
  /// The turn interrupts the sound that the person hears.
  case turnInterrupts
  /// The person pauses in the turn, which may end here, or goes on.
  case turnPauses
  case turnContinues
  case turnEnded
  /// The turn that started was no speech.
  case turnWithdrawn

  /// The change as a line for the log, or nil.
  var line: String? {
    switch self {
    case .processing(let session): "processed by \(session)"
    case .fallback(let reason): "not processed: \(reason)"
    case .late(let time): "processed sound came \(Int(time / .milliseconds(1))) ms too late"
    case .turnStarted, .turnInterrupts, .turnPauses, .turnContinues, .turnEnded, .turnWithdrawn: nil
    }
  }
}

/// A voice that an Anechoic server processes.
final class ServedVoice: CleanedVoice {
  /// The longest label of a session in bytes, with room for a character that was cut.
  private static let longestLabel = 250

  private let voice: LiveVoice
  private let meter: VoiceMeter
  /// The turn that goes on, by the sample at which it began.
  private var turn: Int64?

  /// Begins to connect. `rate` is in Hz. Without a line, the voice learns its own echo path.
  init(
    _ options: LiveVoiceOptions, rate: Int, call: String, _ line: LineEchoPaths.Line?,
    _ metrics: BridgeMetrics
  ) throws {
    var options = options
    options.microphone = LiveVoiceOptions.Format(sampleRate: rate)
    options.reference = LiveVoiceOptions.Format(sampleRate: rate)
    // The name of a call may come from anywhere. A longer label would be refused, and control characters.
    let name = String(decoding: call.utf8.prefix(Self.longestLabel), as: UTF8.self)
    options.labels["call"] = name.printable
    line?.apply(to: &options)
    voice = try LiveVoice(options)
    meter = VoiceMeter(metrics)
  }

  func push(_ microphone: [Int16], reference: [Int16]) {
    microphone.withUnsafeBufferPointer { microphone in
      reference.withUnsafeBufferPointer { voice.push(microphone: microphone, reference: $0) }
    }
  }

  func pull(_ count: Int) -> [Int16] {
    [Int16](unsafeUninitializedCapacity: count) { $1 = voice.pull(into: $0) }
  }

  func nextChange() -> VoiceChange? {
    guard let change = readChange() else { return nil }
    meter.record(change)
    return change
  }

  private func readChange() -> VoiceChange? {
    while let event = voice.nextEvent() {
      switch event {
      case .processing(let session): return .processing(session: session)
      case .fallback(let reason):
        turn = nil
        return .fallback(reason: reason)
      case .late(let time): return .late(time)
      case .session(let event): if let change = change(event) { return change }
      }
    }
    return nil
  }

  private func change(_ event: Anechoic_V1_SessionEvent) -> VoiceChange? {
    switch event.event {
    case .turnStarted(let start):
      turn = start.beganAtSample
      return .turnStarted
    case .turnInterruption(let start) where start.beganAtSample == turn: return .turnInterrupts
    case .turnMayEnd where turn != nil: return .turnPauses
    case .turnContinued where turn != nil: return .turnContinues
    case .turnEnded where turn != nil:
      turn = nil
      return .turnEnded
    case .notSpeech(let sound) where sound.beganAtSample == turn:
      turn = nil
      return .turnWithdrawn
    default: return nil
    }
  }

  func close() { voice.close() }
}
