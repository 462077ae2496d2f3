internal import CESpeak
internal import Synchronization

/// The library itself. Everything here is called on the synthesizer's queue only.
enum ESpeak {
  /// Initialized with the first use; nil where that failed. In Hz.
  private static let sampleRate: Int? = {
    let rate = espeak_Initialize(
      AUDIO_OUTPUT_SYNCHRONOUS, 0, nil, Int32(espeakINITIALIZE_DONT_EXIT))
    guard rate > 0 else { return nil }
    espeak_SetSynthCallback { samples, count, events in
      guard let context = events?.pointee.user_data else { return 1 }
      let collector = Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
      return collector.take(samples, Int(count)) ? 0 : 1
    }
    return Int(rate)
  }()

  static func select(_ voice: VoiceName) throws(SpeechError) {
    guard sampleRate != nil else { throw .unavailable }
    guard espeak_SetVoiceByName(voice.name) == EE_OK else { throw .unknownVoice(voice.name) }
  }

  static func speak(
    _ text: SpokenText, _ voice: VoiceName, unless cancellation: Cancellation
  ) throws -> Speech {
    try select(voice)
    guard let sampleRate else { throw SpeechError.unavailable }
    let collector = Collector(cancellation)
    let context = Unmanaged.passUnretained(collector).toOpaque()
    let error = withExtendedLifetime(collector) {
      text.text.withCString { characters in
        espeak_Synth(
          characters, text.text.utf8.count + 1, 0, POS_CHARACTER, 0, UInt32(espeakCHARS_UTF8),
          nil, context)
      }
    }
    if cancellation.isCancelled { throw CancellationError() }
    guard error == EE_OK else { throw SpeechError.unavailable }
    guard !collector.samples.isEmpty else { throw SpeechError.nothingToSay }
    return Speech(sampleRate: sampleRate, samples: collector.samples)
  }
}

/// Gathers what the library says.
private final class Collector {
  private(set) var samples: [Float] = []
  private let cancellation: Cancellation

  init(_ cancellation: Cancellation) { self.cancellation = cancellation }

  /// False to stop.
  func take(_ codes: UnsafeMutablePointer<Int16>?, _ count: Int) -> Bool {
    guard !cancellation.isCancelled else { return false }
    for index in 0..<count {
      if let codes { samples.append(Float(codes[index]) / 32768) }
    }
    return true
  }
}

final class Cancellation: Sendable {
  private let value = Atomic(false)

  var isCancelled: Bool { value.load(ordering: .relaxed) }
  func cancel() { value.store(true, ordering: .relaxed) }
}
