public import AudioCore

/// A reader of audio files in any format that libsndfile supports: WAV, FLAC, Ogg and more.
///
/// The links of a chained Ogg file are read one after another. FLAC, Ogg, CAF, W64 and RF64 from a pipe are
/// copied to an unnamed file first.
public final class AudioFileReader {
  public let path: String
  /// The format of the samples that `read` returns: floats if the file has more than 16 bits.
  public let format: AudioFormat
  /// The number of samples of each channel: that of the file's header, or counted where the header
  /// has none.
  public let sampleCount: Int
  private let source: SeekableSource
  /// The parts of the file that follow one another. Empty for a file that is one.
  private let links: [Range<Int64>]
  /// The index of the link that is read.
  private var link = 0
  private var file: SoundFile
  /// The number of samples of each channel that were read.
  private var position = 0

  public init(path: String) throws(AudioFileError) {
    self.path = path
    source = try SeekableSource(path)
    file = try SoundFile(source, name: path)
    format = try file.format(name: path)
    let ogg = file.isOgg ? OggFile(path: source.path) : nil
    guard ogg?.isTruncated != true, !file.isTruncatedWave else {
      throw AudioFileError(path: path, problem: "the file is truncated")
    }
    links = try ogg.map { ogg throws(AudioFileError) in try Self.links(of: ogg, path) } ?? []
    sampleCount =
      try links.isEmpty
      ? file.sampleCount(name: path) : Self.sampleCount(of: links, format, source.path, path)
    guard sampleCount > 0 else {
      throw AudioFileError(path: path, problem: "the file contains no audio")
    }
    try openFirstLink()
  }

  /// Returns the next interleaved samples, at most `count` of each channel. Empty at the end.
  /// Throws if a sample is not a finite number, or if a FLAC or Ogg file has fewer samples than it
  /// says.
  public func read(samples count: Int) throws(AudioFileError) -> [UInt8] {
    let width = format.bytesPerSampleFrame
    var bytes = [UInt8](repeating: 0, count: count * width)
    var filled = 0
    while filled < bytes.count {
      let part = try file.read(into: &bytes, from: filled, format, name: path)
      filled += part
      if part == 0, try !openNextLink() { break }
    }
    bytes.removeLast(bytes.count - filled)
    if let index = bytes.withUnsafeBytes({ nonFiniteIndex(in: $0) }) {
      throw AudioFileError(
        path: path, problem: "sample \(position + index) is not a finite number")
    }
    position += filled / width
    if filled < count * width, position < sampleCount, file.isFLAC || file.isOgg {
      throw AudioFileError(path: path, problem: file.isFLAC ? "the file is truncated" : Self.hole)
    }
    return bytes
  }

  /// Moves back to the first sample.
  public func rewind() throws(AudioFileError) {
    if links.isEmpty { try file.rewind(path) } else { try openFirstLink() }
    position = 0
  }

  /// Returns the index of the first sample frame with a value that is infinite or not a number.
  private func nonFiniteIndex(in bytes: UnsafeRawBufferPointer) -> Int? {
    guard format.encoding == .f32 else { return nil }
    return bytes.bindMemory(to: Float.self).firstIndex { !$0.isFinite }
      .map { $0 / format.channelCount }
  }

  // MARK: Links

  private func openFirstLink() throws(AudioFileError) {
    guard let first = links.first else { return }
    link = 0
    file = try SoundFile(path: source.path, part: first, name: path)
  }

  /// Returns false if no link follows.
  private func openNextLink() throws(AudioFileError) -> Bool {
    guard link + 1 < links.count else { return false }
    link += 1
    file = try SoundFile(path: source.path, part: links[link], name: path)
    return true
  }

  private static let hole =
    "the file has a hole: a part of it is missing or damaged; repair it, or convert what is left to "
    + "WAV"

  /// Returns the links of a chained file. Empty for every other file. Throws if pages are missing.
  private static func links(
    of ogg: OggFile, _ path: String
  ) throws(AudioFileError) -> [Range<Int64>] {
    let pages = ogg.pages()
    guard let links = pages.links else {
      throw AudioFileError(path: path, problem: "the file is chained of too many streams")
    }
    guard !pages.hasHole else { throw AudioFileError(path: path, problem: hole) }
    return links.count > 1 ? links : []
  }

  /// Returns the samples of all links. Throws if a link has another format than the first one.
  private static func sampleCount(
    of links: [Range<Int64>], _ format: AudioFormat, _ source: String, _ path: String
  ) throws(AudioFileError) -> Int {
    var sum = 0
    for link in links {
      let file = try SoundFile(path: source, part: link, name: path)
      guard try file.format(name: path) == format else {
        throw AudioFileError(
          path: path,
          problem: "the streams of the file have several sample rates or channel counts; "
            + "split the file, or convert it to one stream")
      }
      sum += try file.sampleCount(name: path)
    }
    return sum
  }
}
