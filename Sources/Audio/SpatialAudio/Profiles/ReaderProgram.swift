internal import CProfileReader
internal import Glibc

/// A program that calls `ProfileReader.runIfAsked`.
public struct ReaderProgram: Sendable {
  /// The time after which a process is killed.
  static let longestTime = Duration.seconds(10)

  private let path: String

  public init(path: String) { self.path = path }

  /// The program of this process.
  public static let this = ReaderProgram(path: "/proc/self/exe")

  /// Reads a SOFA file in a process of its own. Throws a `SOFAError` for a file that cannot be read,
  /// a `ReaderError` if no process can run, and `CancellationError`.
  public func responses(of file: [UInt8]) async throws -> MeasuredResponses {
    let input = try MemoryFile()
    try input.write(file)
    let output = try MemoryFile()
    let process = profile_reader_spawn(
      path, ProfileReader.argument, input.descriptor, output.descriptor)
    guard process > 0 else { throw ReaderError(description: "\(path) cannot be started") }
    let code = try await Self.exitCode(of: process)
    switch code {
    case 0:
      return try MeasuredResponses(encoded: output.contents(atMost: MeasuredResponses.largestSize))
    case ProfileReader.unreadable:
      throw SOFAError(Self.line(try output.contents(atMost: 200)))
    case nil: throw SOFAError("is not a SOFA file that can be read within the limits")
    default: throw ReaderError(description: "the reader of profiles could not limit itself")
    }
  }

  /// Returns text of the process as one line of printable ASCII, because the file may have taken over
  /// the process.
  private static func line(_ bytes: [UInt8]) -> String {
    let text = bytes.filter { (0x20...0x7e).contains($0) }
    return text.isEmpty
      ? "is not a SOFA file that can be read" : String(decoding: text, as: UTF8.self)
  }

  /// Returns the exit code, or nil for a process that a limit has ended.
  private static func exitCode(of process: pid_t) async throws -> Int32? {
    let end = ContinuousClock.now + longestTime
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return status & 0x7f == 0 ? (status >> 8) & 0xff : nil }
      let isCancelled = (try? await Task.sleep(for: .milliseconds(5))) == nil
      guard ended == 0, !isCancelled, ContinuousClock.now < end else {
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        if isCancelled { throw CancellationError() }
        return nil
      }
    }
  }
}

/// The reason why no process could read a profile. The file has no part in it.
public struct ReaderError: Error, CustomStringConvertible {
  public let description: String
}

/// A file in memory, without a name.
private struct MemoryFile: ~Copyable {
  let descriptor: Int32

  init() throws(ReaderError) {
    descriptor = profile_reader_file()
    guard descriptor >= 0 else { throw ReaderError(description: "there is no memory for a file") }
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) throws(ReaderError) {
    var place = 0
    while place < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(
          descriptor, $0.baseAddress.map { $0 + place }, bytes.count - place, off_t(place))
      }
      guard count > 0 else { throw ReaderError(description: "there is no memory for a file") }
      place += count
    }
  }

  func contents(atMost limit: Int) throws(ReaderError) -> [UInt8] {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw ReaderError(description: "a file in memory cannot be read")
    }
    let size = min(limit, Int(status.st_size))
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
  }
}
