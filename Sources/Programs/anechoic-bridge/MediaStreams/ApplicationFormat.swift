internal import AudioCodecs
internal import AudioCore
internal import Foundation

/// The format of the sound of an application that names none.
enum ApplicationFormat: Sendable, Equatable {
  case ofStream
  case known(WireAudio)
  /// The sound is no reference.
  case unused
}

/// A file of sound whose beginning is in media.
enum SoundFile: Equatable {
  case mp3
  /// A WAV file in a format, or nil for one that cannot be decoded, and the place of its sound.
  case wav(WireAudio?, start: Int)

  /// Returns nil if the bytes are not the beginning of a file. An MP3 file without a tag begins with
  /// bytes that also sound without a file has, so it takes two frames to tell.
  init?(_ bytes: Data) {
    let bytes = [UInt8](bytes)
    if let wav = Self.wav(bytes) {
      self = wav
    } else if bytes.starts(with: "ID3".utf8) || Self.hasTwoFrames(bytes) {
      self = .mp3
    } else {
      return nil
    }
  }

  private static func wav(_ bytes: [UInt8]) -> SoundFile? {
    guard bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WAVE".utf8) else {
      return nil
    }
    var format: WireAudio?
    var place = 12
    while place + 8 <= bytes.count {
      let name = bytes[place..<(place + 4)]
      if name.elementsEqual("data".utf8) { return .wav(format, start: place + 8) }
      if name.elementsEqual("fmt ".utf8) { format = self.format(bytes.dropFirst(place + 8)) }
      let size = bytes[(place + 4)..<(place + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      place += 8 + size + size % 2
    }
    return .wav(format, start: bytes.count)
  }

  private static func format(_ chunk: ArraySlice<UInt8>) -> WireAudio? {
    guard chunk.count >= 16 else { return nil }
    func number(_ place: Int, _ count: Int) -> Int {
      chunk.dropFirst(place).prefix(count).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let (code, channels, rate, bits) = (number(0, 2), number(2, 2), number(4, 4), number(14, 2))
    guard channels == 1 else { return nil }
    switch (code, bits) {
    case (1, 16) where SampleRate(rawValue: rate) != nil: return .pcm16(rate: rate)
    case (6, 8) where rate == 8000: return .telephone(.aLaw)
    case (7, 8) where rate == 8000: return .telephone(.muLaw)
    default: return nil
    }
  }

  private static func hasTwoFrames(_ bytes: [UInt8]) -> Bool {
    guard let length = frameLength(bytes[...]) else { return false }
    return frameLength(bytes.dropFirst(length)) != nil
  }

  /// Returns the length of a frame of MPEG audio, layer III, that begins with the bytes.
  ///
  /// Source: ISO/IEC 11172-3 and 13818-3, and for MPEG 2.5 the practice of encoders.
  private static func frameLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    let head = Array(bytes.prefix(4))
    guard head.count == 4, head[0] == 0xFF, head[1] & 0xE6 == 0xE2 else { return nil }
    let (version, rateIndex) = (Int(head[1] >> 3 & 3), Int(head[2] >> 2 & 3))
    let (bitrateIndex, padding) = (Int(head[2] >> 4), Int(head[2] >> 1 & 1))
    guard version != 1, rateIndex != 3, (1...14).contains(bitrateIndex) else { return nil }
    let isFirst = version == 3
    let first = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
    let second = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let bitrate = (isFirst ? first : second)[bitrateIndex - 1] * 1000
    let rate = [44_100, 48_000, 32_000][rateIndex] / [4, 1, 2, 1][version]
    return (isFirst ? 144 : 72) * bitrate / rate + padding
  }
}
