internal import Dispatch
internal import Synchronization

/// A speech synthesizer in this process, based on eSpeak NG.
///
/// A process can use only one instance of the library, from one thread. Callers therefore wait for
/// each other on a thread that belongs to the library. Not for the frame path.
public final class SpeechSynthesizer: Sendable {
  public static let shared = SpeechSynthesizer()

  /// The maximum length of a text in characters.
  public static let longestText = 5000
  /// The maximum duration of a text in seconds. Some characters are spoken by long names.
  public static let longestSpeech = 600

  private let queue = DispatchQueue(label: "speech", qos: .utility)
  /// Nil until the first request for a voice.
  private let catalog = Mutex<VoiceCatalog?>(nil)

  private init() {}

  /// Speaks a text. Markup is read aloud and not interpreted. The same text in the same voice
  /// produces the same samples.
  ///
  /// - Parameter voice: A language or a name that `espeak-ng --voices` lists, with an optional
  ///   variant ("en+f3"). "" selects English.
  /// - Throws: A `SpeechError`, or a `CancellationError` if the task is cancelled.
  public func speak(_ text: String, voice: String = "") async throws -> Speech {
    let text = try SpokenText(text)
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await onQueue { try self.synthesize(text, voice, unless: cancellation) }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Throws a `SpeechError` if there is no such voice.
  public func check(voice: String) async throws {
    _ = try await onQueue { try self.voiceCatalog().file(of: voice) }
  }

  /// Returns the names of all voices, in the form that `speak` accepts.
  public func voices() async throws -> [Voice] {
    try await onQueue {
      try self.voiceCatalog().voices.map {
        Voice(name: $0.name, languages: $0.languages.map(\.name))
      }
    }
  }

  private func onQueue<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  /// Returns the catalog. It is read only once, because the library leaks memory when it reads it.
  private func voiceCatalog() throws -> VoiceCatalog {
    if let known = catalog.withLock({ $0 }) { return known }
    let read = VoiceCatalog(try ESpeakLibrary())
    catalog.withLock { $0 = read }
    return read
  }

  private func synthesize(
    _ text: SpokenText, _ voice: String, unless cancellation: Cancellation
  ) throws -> Speech {
    guard !cancellation.isCancelled else { throw CancellationError() }
    let file = try voiceCatalog().file(of: voice)
    let library = try ESpeakLibrary()
    let longest = Self.longestSpeech * library.sampleRate
    var samples: [Float] = []
    let isDone = library.speak(text, voiceFile: file) { piece in
      samples.append(contentsOf: piece.lazy.map { Float($0) / 32768 })
      return !cancellation.isCancelled && samples.count <= longest
    }
    guard !cancellation.isCancelled else { throw CancellationError() }
    guard samples.count <= longest else { throw SpeechError.speechTooLong }
    guard isDone else { throw SpeechError.unavailable }
    guard samples.contains(where: { $0 != 0 }) else { throw SpeechError.nothingToSay }
    return Speech(sampleRate: library.sampleRate, samples: samples)
  }
}

/// Spoken text with one channel.
public struct Speech: Sendable, Equatable {
  /// The sample rate in Hz.
  public let sampleRate: Int
  /// The samples, -1...1.
  public let samples: [Float]
}

/// A voice, by its name or one of its languages.
public struct Voice: Sendable, Equatable {
  public let name: String
  public let languages: [String]
}

private final class Cancellation: Sendable {
  private let value = Atomic(false)

  var isCancelled: Bool { value.load(ordering: .relaxed) }
  func cancel() { value.store(true, ordering: .relaxed) }
}

/// A text that the library can speak.
struct SpokenText {
  let text: String

  init(_ text: String) throws(SpeechError) {
    // The limit also applies to scalars, because a character can consist of any number of them.
    guard text.count <= SpeechSynthesizer.longestText,
      text.unicodeScalars.count <= 2 * SpeechSynthesizer.longestText
    else { throw .textTooLong }
    guard !text.unicodeScalars.contains("\0") else { throw .unspeakable }
    // The library interprets some control characters as commands: U+0001 changes the speed or the
    // voice.
    var spoken = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isCommand = scalar.properties.generalCategory == .control && scalar != "\n"
      spoken.append(isCommand ? " " : scalar)
    }
    guard spoken.contains(where: { !$0.properties.isWhitespace }) else { throw .nothingToSay }
    self.text = String(spoken)
  }
}

/// The reason why a text was not spoken.
public enum SpeechError: Error, Equatable, CustomStringConvertible {
  case nothingToSay
  case textTooLong
  case speechTooLong
  case unspeakable
  case unknownVoice(String)
  /// The library or its data cannot be used.
  case unavailable

  public var description: String {
    switch self {
    case .nothingToSay: "contains nothing to speak"
    case .textTooLong: "is longer than \(SpeechSynthesizer.longestText) characters"
    case .speechTooLong:
      "takes longer than \(SpeechSynthesizer.longestSpeech / 60) minutes to speak"
    case .unspeakable: "contains a NUL character"
    case .unknownVoice(let name): "\"\(name)\" is not an eSpeak NG voice"
    case .unavailable:
      "cannot use eSpeak NG; install Debian's libespeak-ng1 and espeak-ng-data"
    }
  }
}
