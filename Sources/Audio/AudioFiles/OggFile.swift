internal import Foundation

/// The framing of an Ogg file, https://www.rfc-editor.org/rfc/rfc3533.
struct OggFile {
  private static let headerSize = 27
  /// The maximum size of a page in bytes.
  private static let longestPage = 65_307
  private static let beginOfStream: UInt8 = 2
  private static let endOfStream: UInt8 = 4
  /// The maximum number of links that are read.
  private static let mostLinks = 10_000

  private let file: FileHandle
  private let size: UInt64

  /// Returns nil for a file that cannot be read at any place, such as a pipe.
  init?(path: String) {
    guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd() else {
      return nil
    }
    (self.file, self.size) = (file, size)
  }

  /// Whether the last page is not marked as the end of the stream.
  var isTruncated: Bool {
    guard let tail = bytes(at: size - min(size, UInt64(Self.longestPage)), count: Self.longestPage),
      let page = tail.range(of: Data("OggS".utf8), options: .backwards)
    else { return true }
    // The first byte after "OggS" is the version. The second byte contains the flags.
    let flags = page.upperBound + 1
    return flags >= tail.endIndex || tail[flags] & Self.endOfStream == 0
  }

  /// The findings in the pages of a file.
  struct Pages {
    /// The places of the links in a chained file: streams that follow one another. A file that is
    /// not chained has one link. Nil for a file with too many.
    var links: [Range<Int64>]?
    /// Whether a page is missing between others that have sound.
    var hasHole = false
  }

  /// Reads the headers of the pages, up to the first byte that does not begin a page.
  func pages() -> Pages {
    var starts: [UInt64] = []
    var place: UInt64 = 0
    var wasFirst = false
    var numbers = PageNumbers()
    while let header = bytes(at: place, count: Self.headerSize), header.count == Self.headerSize,
      header.prefix(4) == Data("OggS".utf8),
      let lacing = bytes(at: place + UInt64(Self.headerSize), count: Int(header[26]))
    {
      let isFirst = header[5] & Self.beginOfStream != 0
      if starts.isEmpty || isFirst && !wasFirst {
        starts.append(place)
        numbers = PageNumbers(hasHole: numbers.hasHole)
      }
      guard starts.count <= Self.mostLinks else { return Pages() }
      numbers.add(header)
      wasFirst = isFirst
      place += UInt64(Self.headerSize + lacing.count + lacing.reduce(0) { $0 + Int($1) })
    }
    guard !starts.isEmpty else { return Pages(links: [0..<Int64(size)]) }
    let links = zip(starts, starts.dropFirst() + [size]).map { Int64($0)..<Int64(max($0, $1)) }
    return Pages(links: links, hasHole: numbers.hasHole)
  }

  /// The numbers of the pages of the streams in a link, which grow by one.
  private struct PageNumbers {
    /// The most streams that are followed. A file of sound has one.
    private static let most = 100

    private(set) var hasHole = false
    private var next: [Data: UInt32] = [:]
    /// The streams whose last page belongs to the header. A recording that was cut at its start
    /// lacks the pages behind it.
    private var inHeader: Set<Data> = []

    init(hasHole: Bool = false) { self.hasHole = hasHole }

    mutating func add(_ header: Data) {
      let stream = Data(header[14..<18])
      let number = header[18..<22].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if let expected = next[stream], number != expected, !inHeader.contains(stream) {
        hasHole = true
      }
      guard next[stream] != nil || next.count < Self.most else { return }
      next[stream] = number &+ 1
      if header[6..<14].allSatisfy({ $0 == 0 }) {
        inHeader.insert(stream)
      } else {
        inHeader.remove(stream)
      }
    }
  }

  /// Returns the bytes at a place, fewer at the end of the file, with indexes from 0.
  private func bytes(at place: UInt64, count: Int) -> Data? {
    guard (try? file.seek(toOffset: place)) != nil, let data = try? file.read(upToCount: count)
    else { return count == 0 ? Data() : nil }
    return data
  }
}
