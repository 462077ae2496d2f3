internal import CSoundRig
internal import Glibc

/// An open file or one end of a pipe. Its deinit closes it. No program inherits it.
final class Descriptor: Sendable {
  let raw: Int32

  private init(raw: Int32) { self.raw = raw }

  deinit { close(raw) }

  /// Opens a file for writing. Creates the file, or removes its content.
  init(writing path: String) throws(SoundRigError) {
    raw = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard raw >= 0 else { throw SoundRigError("cannot write \(path): error \(errno)") }
  }

  static func pipe() throws(SoundRigError) -> (reader: Descriptor, writer: Descriptor) {
    var ends: [Int32] = [0, 0]
    guard rig_pipe(&ends) == 0 else { throw SoundRigError("no pipe: error \(errno)") }
    return (Descriptor(raw: ends[0]), Descriptor(raw: ends[1]))
  }

  /// The number of bytes in the pipe that nobody has read.
  var unreadBytes: Int {
    var count: Int32 = 0
    return ioctl(raw, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Reads the bytes that are available, without waiting.
  func readAvailable() -> [UInt8] {
    let count = unreadBytes
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, Glibc.read(raw, buffer.baseAddress, count))
    }
  }

  /// Writes samples. Returns whether all of them could be written. SIGPIPE must be blocked in this
  /// thread.
  func write(_ samples: some Sequence<Float>) -> Bool {
    Array(samples).withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = Glibc.write(raw, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return false }
      }
      return true
    }
  }

  /// Waits for the next `count` samples and returns them. Returns nil at the end.
  func read(_ count: Int) -> [Float]? {
    var got = 0
    let samples = [Float](unsafeUninitializedCapacity: count) { buffer, initialized in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      while got < bytes.count {
        let size = Glibc.read(raw, bytes.baseAddress.map { $0 + got }, bytes.count - got)
        if size > 0 { got += size } else if size == 0 || errno != EINTR { break }
      }
      initialized = got / MemoryLayout<Float>.stride
    }
    return got == count * MemoryLayout<Float>.stride ? samples : nil
  }
}
