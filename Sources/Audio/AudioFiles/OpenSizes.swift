internal import Foundation

/// The sizes of a WAV of more than 4 GiB, which its fields of 32 bits cannot hold.
///
/// They are left open, as in a pipe: readers then take what there is. The library would write the size modulo
/// 4 GiB, so that most of the sound would be lost.
enum OpenSizes {
  /// More than any header has.
  private static let longestHeader = 1024

  /// The most bytes of sound that the fields can count.
  static let most = Int(UInt32.max) - longestHeader

  /// Leaves the sizes of a file open. A file that cannot be changed stays as it is.
  static func write(to path: String) {
    guard let file = FileHandle(forUpdatingAtPath: path),
      let header = try? file.read(upToCount: longestHeader),
      let data = header.range(of: Data("data".utf8))
    else { return }
    for offset in [4, data.upperBound] {
      try? file.seek(toOffset: UInt64(offset))
      try? file.write(contentsOf: Data(repeating: 0xff, count: 4))
    }
  }
}
