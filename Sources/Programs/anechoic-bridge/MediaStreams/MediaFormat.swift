internal import AudioCodecs
internal import AudioCore
internal import Foundation

extension WireAudio {
  /// The names of encodings. Those of RTP and of MIME types are the same without `audio/`.
  private static let muLawNames: Set = ["x-mulaw", "mulaw", "ulaw", "pcmu", "g711_ulaw"]
  private static let aLawNames: Set = ["x-alaw", "alaw", "pcma", "g711_alaw"]
  /// "L16", as RTP names it, has the other order of bytes, or not: providers differ. Exotel names its PCM
  /// after the text that has it, and Plivo after the file that it may be.
  private static let pcmNames: Set = [
    "x-l16", "x-raw", "pcm16", "pcm", "linear16", "pcm_s16le", "base64", "wav", "x-wav",
  ]

  /// Finds the format that a provider names: an object with an encoding, a rate and a number of channels.
  /// Nil for a format that cannot be processed.
  init?(mediaFormat format: [String: Any]) {
    guard wholeNumber(format["channels"] ?? 1) == 1 else { return nil }
    let names = [format["encoding"], format["contentType"], format["content_type"]]
    let name = names.lazy.compactMap { $0 as? String }.first
    let rate = [format["sampleRate"], format["sample_rate"]].lazy.compactMap { $0 }.first
    self.init(encoding: name ?? "audio/x-mulaw", rate: rate)
  }

  /// `name` may end with the rate, as in `PCMU/8000` and `audio/x-l16;rate=16000`. `stated` is the rate as
  /// the provider writes it, which goes before.
  init?(encoding name: String, rate stated: Any? = nil) {
    let words = name.lowercased().split { $0 == ";" || $0 == " " }.map(String.init)
    guard let type = words.first else { return nil }
    var parts = type.split(separator: "/").map(String.init)
    if parts.count > 1, parts[0] == "audio" { parts.removeFirst() }
    let parameter = words.lazy.map { $0.split(separator: "=") }.first { $0.first == "rate" }
    let named = parts.count > 1 ? parts[1] : parameter?.dropFirst().last.map(String.init)
    let value = stated is NSNull ? nil : stated
    guard let encoding = parts.first, let rate = wholeNumber(value ?? named ?? 8000) else {
      return nil
    }
    switch encoding {
    case _ where Self.muLawNames.contains(encoding) && rate == 8000: self = .telephone(.muLaw)
    case _ where Self.aLawNames.contains(encoding) && rate == 8000: self = .telephone(.aLaw)
    case _ where Self.pcmNames.contains(encoding) && SampleRate(rawValue: rate) != nil:
      self = .pcm16(rate: rate)
    default: return nil
    }
  }
}
