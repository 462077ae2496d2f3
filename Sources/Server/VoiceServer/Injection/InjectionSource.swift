internal import AnechoicAPI
internal import AudioCodecs
internal import AudioCore
internal import GRPCTransport
internal import SessionWire
internal import SpeechSynthesis
internal import VoiceSessions

/// Converts the audio or text of an injector into speech at the sample rates of a session's
/// outputs.
actor InjectionSource {
  /// The longest piece that a session gets at once.
  private static let longestPiece = Duration.milliseconds(500)
  /// The shortest piece before the end of the audio. Each piece is work for the thread of the
  /// session, which serves other sessions too.
  private static let shortestPiece = Duration.milliseconds(10)

  private let voice: String
  /// The format of the audio. Nil for text.
  private let format: AudioFormat?
  private let setup: SessionSetup
  /// The audio that arrives. Nil for text.
  private var timeline: InputTimeline?
  private var characters = 0
  private var converters: ConverterPair?
  /// The samples that have arrived and are not converted yet.
  private var samples: ArraySlice<Float> = []
  private var rate = 0
  /// Nil for audio.
  private var waiting: WaitingSpeech?

  init(_ start: Anechoic_V1_InjectionStart, _ setup: SessionSetup) throws(Status) {
    self.setup = setup
    voice = start.voice
    do throws(InvalidFieldError) {
      format = start.hasFormat ? try AudioFormat(input: start.format, path: "start.format") : nil
    } catch {
      throw Status(error)
    }
    timeline = format.map { InputTimeline(format: $0) }
  }

  /// Throws a `Status` if there is no such voice.
  func check() async throws {
    guard format == nil else { return }
    try await speaking { try await SpeechSynthesizer.shared.check(voice: self.voice) }
  }

  /// Takes a request, whose speech `nextPiece` then returns.
  func accept(_ request: Anechoic_V1_InjectSpeechRequest.OneOf_Request) async throws {
    switch request {
    case .start: throw Status(InvalidFieldError("start", "the injection has already started"))
    case .audio(let chunk):
      samples += try decoded(chunk)
      rate = try audioFormat().rate.hertz
    case .text(let text):
      let speech = try await spoken(text)
      // The speech of the text before has been returned.
      waiting = nil
      waiting = try SpeechRoom.shared.take(speech.samples.count)
      samples = speech.samples[...]
      rate = speech.sampleRate
    }
  }

  /// Returns the next piece of the speech, or nil if all that has arrived was returned. Audio of
  /// less than 10 ms waits for more, unless `isComplete` says that no more will come.
  func nextPiece(isComplete: Bool) throws -> InjectedSpeech? {
    let isWhole = isComplete || format == nil
    guard samples.count >= (isWhole ? 1 : count(of: Self.shortestPiece)) else { return nil }
    let converters = try converters ?? ConverterPair(from: rate, setup)
    self.converters = converters
    let piece = samples.prefix(count(of: Self.longestPiece))
    samples = samples.dropFirst(piece.count)
    return converters.convert(Array(piece), isLast: false)
  }

  /// Returns the samples that are left in the converters at the end of the speech.
  func rest() -> InjectedSpeech? { converters?.convert([], isLast: true) }

  /// The number of samples in a duration, at least one.
  private func count(of duration: Duration) -> Int {
    max(1, Int(duration / .seconds(1) * Double(rate)))
  }

  private func audioFormat() throws(Status) -> AudioFormat {
    guard let format else {
      throw Status(
        InvalidFieldError("audio", "must be announced by start.format, which is left out"))
    }
    return format
  }

  private func decoded(_ chunk: Anechoic_V1_AudioChunk) throws(Status) -> [Float] {
    _ = try audioFormat()
    guard !chunk.samples.isEmpty else {
      throw Status(InvalidFieldError("audio.samples", "must not be empty"))
    }
    let fault = Array(chunk.samples).withUnsafeBytes { bytes -> InputError? in
      do throws(InputError) {
        _ = try timeline?.append(bytes, firstSample: nil)
        return nil
      } catch {
        return error
      }
    }
    if let fault { throw Status(InvalidFieldError("audio.\(fault.field)", fault.description)) }
    return timeline?.popAll() ?? []
  }

  private func spoken(_ text: String) async throws -> Speech {
    guard format == nil else {
      throw Status(InvalidFieldError("text", "must not follow start.format, which announces audio"))
    }
    characters += text.count
    guard characters <= SpeechSynthesizer.longestText else {
      throw Status(InvalidFieldError("text", SpeechError.textTooLong.description))
    }
    return try await speaking {
      try await SpeechSynthesizer.shared.speak(text, voice: self.voice)
    }
  }

  private func speaking<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
      return try await body()
    } catch let error as SpeechError {
      throw Status(error)
    }
  }
}

/// Converters from the sample rate of the speech to the rates of the two outputs.
private final class ConverterPair {
  private let processed: StreamResampler
  private let playback: StreamResampler?

  init(from rate: Int, _ setup: SessionSetup) throws {
    processed = try StreamResampler(from: rate, to: setup.processed.rate)
    playback = try setup.playback.map { try StreamResampler(from: rate, to: $0.rate) }
  }

  func convert(_ samples: [Float], isLast: Bool) -> InjectedSpeech {
    InjectedSpeech(
      processed: processed.process(samples, isLast: isLast),
      playback: playback?.process(samples, isLast: isLast) ?? [])
  }
}
