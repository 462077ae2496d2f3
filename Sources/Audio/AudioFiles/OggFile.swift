internal import Foundation

/// The framing of an Ogg file, https://www.rfc-editor.org/rfc/rfc3533.
enum OggFile {
  /// The maximum size of a page in bytes.
  private static let longestPage = 65_307
  private static let endOfStream: UInt8 = 4

  /// Returns whether the last page is not marked as the end of the stream.
  static func isTruncated(path: String) -> Bool {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else {
      return false
    }
    try? file.seek(toOffset: end - min(end, UInt64(longestPage)))
    guard let tail = try? file.readToEnd(),
      let page = tail.range(of: Data("OggS".utf8), options: .backwards)
    else { return true }
    // The first byte after "OggS" is the version. The second byte contains the flags.
    let flags = page.upperBound + 1
    return flags >= tail.endIndex || tail[flags] & endOfStream == 0
  }
}
