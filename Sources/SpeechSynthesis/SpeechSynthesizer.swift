internal import Dispatch
internal import Synchronization

/// Text to speech by eSpeak NG, in this process.
///
/// The library is one for the process and not for several threads: whoever speaks waits for those
/// before, on a thread that the library has for itself. Not for the frame path.
public final class SpeechSynthesizer: Sendable {
  public static let shared = SpeechSynthesizer()

  /// In characters; more is refused.
  public static let longestText = 5000

  private let queue = DispatchQueue(label: "speech", qos: .utility)
  /// Nil until somebody has asked for a voice.
  private let catalog = Mutex<VoiceCatalog?>(nil)

  private init() {}

  /// Speaks a text as it stands: markup is read out, and not obeyed. The same text in the same voice
  /// gives the same samples.
  ///
  /// `voice` is a language or a name, as `espeak-ng --voices` shows them, with a variant if wanted
  /// ("en+f3"); "" is English. Throws a `SpeechError`, or `CancellationError` when the task is
  /// cancelled.
  public func speak(_ text: String, voice: String = "") async throws -> Speech {
    let text = try SpokenText(text)
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await onQueue { try self.synthesize(text, voice, unless: cancellation) }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Throws where there is no such voice.
  public func check(voice: String) async throws {
    _ = try await onQueue { try self.voiceCatalog().file(of: voice) }
  }

  /// The names of all voices, as `speak` takes them.
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

  /// Read once, as the library leaks some of what it reads for it.
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
    var samples: [Float] = []
    let isDone = library.speak(text, voiceFile: file) { piece in
      samples.append(contentsOf: piece.lazy.map { Float($0) / 32768 })
      return !cancellation.isCancelled
    }
    guard !cancellation.isCancelled else { throw CancellationError() }
    guard isDone else { throw SpeechError.unavailable }
    guard samples.contains(where: { $0 != 0 }) else { throw SpeechError.nothingToSay }
    return Speech(sampleRate: library.sampleRate, samples: samples)
  }
}

/// Spoken text, one channel.
public struct Speech: Sendable, Equatable {
  /// In Hz.
  public let sampleRate: Int
  /// -1...1.
  public let samples: [Float]
}

/// A voice that can be spoken with, by its name or one of its languages.
public struct Voice: Sendable, Equatable {
  public let name: String
  public let languages: [String]
}

private final class Cancellation: Sendable {
  private let value = Atomic(false)

  var isCancelled: Bool { value.load(ordering: .relaxed) }
  func cancel() { value.store(true, ordering: .relaxed) }
}
