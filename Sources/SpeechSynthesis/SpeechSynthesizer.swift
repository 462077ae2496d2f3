internal import Dispatch

/// Text to speech by eSpeak NG, in this process.
///
/// The library is one for the process and not for several threads: whoever speaks waits for those
/// before, on a thread that the library has for itself. Not for the frame path.
public final class SpeechSynthesizer: Sendable {
  public static let shared = SpeechSynthesizer()

  /// In characters; more is refused.
  public static let longestText = 5000

  private let queue = DispatchQueue(label: "speech", qos: .utility)

  private init() {}

  /// Speaks a text as it stands: markup is read out, and not obeyed. The same text in the same voice
  /// gives the same samples.
  ///
  /// `voice` is a language or a name, as `espeak-ng --voices` shows them; "" is English. Throws a
  /// `SpeechError`, or `CancellationError` when the task is cancelled.
  public func speak(_ text: String, voice: String = "") async throws -> Speech {
    let text = try SpokenText(text)
    let voice = try VoiceName(voice)
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async {
          continuation.resume(
            with: Result { try ESpeak.speak(text, voice, unless: cancellation) })
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Throws where there is no such voice.
  public func check(voice: String) async throws {
    let voice = try VoiceName(voice)
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try ESpeak.select(voice) }) }
    }
  }
}

/// Spoken text, one channel.
public struct Speech: Sendable, Equatable {
  /// In Hz.
  public let sampleRate: Int
  /// -1...1.
  public let samples: [Float]
}

/// Why a text was not spoken.
public enum SpeechError: Error, Equatable, CustomStringConvertible {
  case nothingToSay
  case textTooLong
  case unspeakable
  case unknownVoice(String)
  /// The library, or its data, cannot be used.
  case unavailable

  public var description: String {
    switch self {
    case .nothingToSay: "there is nothing to say in it"
    case .textTooLong: "is longer than \(SpeechSynthesizer.longestText) characters"
    case .unspeakable: "has a NUL in it"
    case .unknownVoice(let name): "\"\(name)\" is no voice of eSpeak NG"
    case .unavailable: "eSpeak NG cannot be used: is Debian's espeak-ng-data installed?"
    }
  }
}

/// A text that can be handed to the library.
struct SpokenText {
  let text: String

  init(_ text: String) throws(SpeechError) {
    guard text.count <= SpeechSynthesizer.longestText else { throw .textTooLong }
    guard !text.unicodeScalars.contains("\0") else { throw .unspeakable }
    guard text.contains(where: { $0.isLetter || $0.isNumber || $0.isSymbol || $0.isPunctuation })
    else { throw .nothingToSay }
    self.text = text
  }
}

/// The name of a voice, which must not lead the library to a file elsewhere.
struct VoiceName {
  private static let standard = "en"

  let name: String

  init(_ name: String) throws(SpeechError) {
    let isHarmless =
      name.utf8.count <= 64
      && name.allSatisfy {
        $0.isASCII && ($0.isLetter || $0.isNumber || "-_+ ()".contains($0))
      }
    guard isHarmless else { throw .unknownVoice(String(name.prefix(64))) }
    self.name = name.isEmpty ? Self.standard : name
  }
}
