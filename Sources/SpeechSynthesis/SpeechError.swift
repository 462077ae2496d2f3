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
    case .unavailable:
      "eSpeak NG cannot be used: are Debian's libespeak-ng1 and espeak-ng-data installed?"
    }
  }
}
