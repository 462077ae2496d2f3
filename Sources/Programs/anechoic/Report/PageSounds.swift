internal import AudioCore
internal import AudioFiles
internal import CommandLineSupport
internal import Foundation

/// The sounds in a page, as files with a bounded size.
enum PageSounds {
  /// The number of characters of base64 for three bytes.
  private static let encodedBytes = 4

  /// A format that browsers play, in the order of preference.
  private enum Format: String, CaseIterable {
    /// Without loss, and half as large as WAV.
    case flac
    /// Ogg Vorbis, an eighth of that.
    case ogg

    var mediaType: String {
      switch self {
      case .flac: "audio/flac"
      case .ogg: "audio/ogg"
      }
    }
  }

  /// Writes the sounds to a folder, in the best format in which all of them take at most `most`
  /// bytes of a page. If none is small enough, only the beginning is written, and a note says so.
  static func make(
    of sources: [SoundSource], duration: Double, atMost most: Int, _ folder: TemporaryFolder,
    _ stop: StopWatch
  ) throws -> [Report.Media] {
    guard most > 0 else { return [] }
    var media: [Report.Media] = []
    for format in Format.allCases {
      let paths = sources.indices.map { folder.path("player-\($0).\(format.rawValue)") }
      let seconds = try write(sources, to: paths, atMost: most, stop)
      let note = seconds.map { Self.note(seconds: $0, of: duration, most) } ?? ""
      media = paths.map { Report.Media(path: $0, type: format.mediaType, note: note) }
      if seconds == nil { break }
    }
    return media
  }

  private static func note(seconds: Int, of duration: Double, _ most: Int) -> String {
    let (held, whole) = (
      Clock.text(Double(seconds), digits: 0, longest: max(60, duration)),
      Clock.text(duration, digits: 0, longest: max(60, duration))
    )
    return "The player holds the first \(held) of \(whole), because this page holds at most "
      + "\(ByteCountArgument(most)) of sound."
  }

  /// Writes the sounds with 16 bits, second by second. Returns nil if all of them fit, and otherwise
  /// the number of seconds that were written.
  private static func write(
    _ sources: [SoundSource], to paths: [String], atMost most: Int, _ stop: StopWatch
  ) throws -> Int? {
    var files: [(reader: AudioFileReader, writer: AudioFileWriter)] = []
    for (source, path) in zip(sources, paths) {
      let reader = try AudioFileReader(path: source.path)
      let format = AudioFormat(
        encoding: .s16, rate: reader.format.rate, channelCount: reader.format.channelCount)
      files.append((reader, try AudioFileWriter(path: path, format: format)))
    }
    var seconds = 0
    while true {
      try stop.check()
      var isOver = true
      for (reader, writer) in files {
        let bytes = try reader.read(samples: reader.format.rate.hertz)
        guard !bytes.isEmpty else { continue }
        isOver = false
        try writer.write(sixteenBits(bytes, reader.format.encoding))
      }
      if isOver { return nil }
      seconds += 1
      let size = try paths.reduce(0) { try $0 + byteCount($1) }
      if size / 3 * encodedBytes > most { return seconds }
    }
  }

  private static func byteCount(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.size] as? NSNumber)?.intValue ?? 0
  }

  private static func sixteenBits(_ bytes: [UInt8], _ encoding: SampleEncoding) -> [UInt8] {
    guard encoding == .f32 else { return bytes }
    let samples = bytes.withUnsafeBytes { bytes in
      bytes.bindMemory(to: Float.self).map { sample in
        Int16(max(-32768, min(32767, (sample * 32768).rounded())))
      }
    }
    return samples.withUnsafeBytes { Array($0) }
  }
}
