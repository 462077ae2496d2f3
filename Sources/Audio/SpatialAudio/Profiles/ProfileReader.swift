internal import CProfileReader
internal import Glibc

/// The process that reads a SOFA file of somebody who is not trusted.
///
/// The process is the program itself, started with `argument`. It gets the file as its standard input,
/// and writes the responses as `MeasuredResponses.encoded` or, with the exit code `unreadable`, one line
/// that says why it cannot. libmysofa runs after the limits are set.
public enum ProfileReader {
  public static let argument = "read-listener-profile"
  /// The largest file in bytes.
  public static let largestFile = 32 << 20

  /// The memory that reading may take.
  static let memory = 512 << 20
  /// The processor time that reading may take, in seconds.
  static let seconds: UInt32 = 8
  static let unreadable: Int32 = 1
  private static let unlimited: Int32 = 3

  /// Reads a file and ends the process, if the process was started for this. Call it first in `main`.
  public static func runIfAsked() {
    guard CommandLine.arguments.dropFirst().elementsEqual([argument]) else { return }
    // Not `exit`: its handlers make system calls that the limits forbid.
    _exit(run())
  }

  private static func run() -> Int32 {
    guard let file = input() else { return write(Array("cannot be read".utf8), code: unreadable) }
    defer { file.deallocate() }
    guard profile_reader_limit(memory, seconds, MeasuredResponses.largestSize) == 0 else {
      return unlimited
    }
    do throws(SOFAError) {
      let responses = try MeasuredResponses(sofa: UnsafeRawBufferPointer(file))
      guard let bytes = responses.encoded() else {
        throw SOFAError("has more than \(MeasuredResponses.largestSize >> 20) MiB of responses")
      }
      return write(bytes, code: 0)
    } catch {
      return write(Array(error.description.utf8), code: unreadable)
    }
  }

  /// Returns the contents of standard input, a file, or nil.
  private static func input() -> UnsafeMutableRawBufferPointer? {
    var status = stat()
    guard fstat(0, &status) == 0, (1...largestFile).contains(Int(status.st_size)) else {
      return nil
    }
    let file = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(status.st_size), alignment: 16)
    guard pread(0, file.baseAddress, file.count, 0) == file.count else {
      file.deallocate()
      return nil
    }
    return file
  }

  private static func write(_ bytes: [UInt8], code: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(1, $0.baseAddress, $0.count) }
      guard count > 0 else { return unreadable }
      rest = rest.dropFirst(count)
    }
    return code
  }
}
