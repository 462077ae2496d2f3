internal import AudioCodecs
internal import Foundation

/// An encoding of one channel of audio in messages.
enum WireAudio: Sendable, Equatable {
  /// 16-bit samples, little-endian, at a rate in Hz.
  case pcm16(rate: Int)
  /// A code of telephony, at 8 kHz.
  case telephone(G711)

  /// The rate in Hz.
  var rate: Int {
    switch self {
    case .pcm16(let rate): rate
    case .telephone: 8000
    }
  }

  /// The rate of PCM in Hz. Nil for a code of telephony.
  var pcmRate: Int? {
    if case .pcm16(let rate) = self { rate } else { nil }
  }

  /// Returns the samples of a text in base64, or nil if the text is not valid.
  ///
  /// `half` is the first byte of a sample that is split between the text before and this one, or nil. The
  /// function replaces it by that of a sample which is split between this text and the next one.
  func samples(_ text: String, after half: inout UInt8?) -> [Int16]? {
    Self.bytes(text).map { samples($0, after: &half) }
  }

  /// Returns the samples of bytes. `half` is that of a text.
  func samples(_ data: Data, after half: inout UInt8?) -> [Int16] {
    switch self {
    case .telephone(let law):
      half = nil
      return law.samples(data)
    case .pcm16:
      let whole = (half.map { Data([$0]) } ?? Data()) + data
      half = whole.count % 2 == 0 ? nil : whole.last
      return whole.withUnsafeBytes { bytes in
        (0..<bytes.count / 2).map {
          Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self))
        }
      }
    }
  }

  /// Returns the bytes of a text in base64. It may have line breaks or the alphabet of URLs, or lack the
  /// padding: programs read such texts, so others write them.
  static func bytes(_ text: String) -> Data? {
    if let data = Data(base64Encoded: text) { return data }
    var letters: [UInt8] = []
    letters.reserveCapacity(text.utf8.count + 3)
    for letter in text.utf8 {
      switch letter {
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: " "), UInt8(ascii: "\t"): break
      case UInt8(ascii: "-"): letters.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): letters.append(UInt8(ascii: "/"))
      default: letters.append(letter)
      }
    }
    while letters.count % 4 != 0 { letters.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(letters))
  }

  /// Returns samples as a text in base64.
  func text(_ samples: [Int16]) -> String {
    switch self {
    case .telephone(let law): Data(law.codes(samples)).base64EncodedString()
    case .pcm16:
      samples.map(\.littleEndian).withUnsafeBytes { Data($0) }.base64EncodedString()
    }
  }
}

/// Returns a whole number of JSON, which some programs send as a text.
func wholeNumber(_ value: Any?) -> Int? {
  value as? Int ?? (value as? String).flatMap { Int($0) }
}
