/// The reason why a text was not spoken.
public enum SpeechError: Error, Equatable, CustomStringConvertible {
  case nothingToSay
  case textTooLong
  case unspeakable
  case unknownVoice(String)
  /// The library or its data cannot be used.
  case unavailable

  public var description: String {
    switch self {
    case .nothingToSay: "contains nothing to speak"
    case .textTooLong: "is longer than \(SpeechSynthesizer.longestText) characters"
    case .unspeakable: "contains a NUL character"
    case .unknownVoice(let name): "\"\(name)\" is not an eSpeak NG voice"
    case .unavailable:
      "cannot use eSpeak NG; install Debian's libespeak-ng1 and espeak-ng-data"
    }
  }
}
