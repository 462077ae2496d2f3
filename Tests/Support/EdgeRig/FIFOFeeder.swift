internal import Foundation
internal import Synchronization

/// A writer of sound into a FIFO, as one channel of 16 bits, at the pace of the reader.
public final class FIFOFeeder: Sendable {
  private struct State {
    var samples: [Float] = []
    var position = 0
    var isRepeated = false
    var isStopped = false
  }

  private let state = Mutex(State())

  public init(path: String) {
    mkfifo(path, 0o600)
    signal(SIGPIPE, SIG_IGN)
    Thread.detachNewThread { [self] in
      let descriptor = open(path, O_RDWR | O_NONBLOCK)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      var bytes: [UInt8] = []
      while !state.withLock(\.isStopped) {
        if bytes.isEmpty { bytes = next(480) }
        let count = bytes.isEmpty ? 0 : write(descriptor, bytes, bytes.count)
        if count > 0 { bytes.removeFirst(count) } else { usleep(2000) }
      }
    }
  }

  /// Plays these samples from now on, again and again if `isRepeated` is true.
  public func play(_ samples: [Float], isRepeated: Bool = false) {
    state.withLock { ($0.samples, $0.position, $0.isRepeated) = (samples, 0, isRepeated) }
  }

  public func stop() { state.withLock { $0.isStopped = true } }

  private func next(_ count: Int) -> [UInt8] {
    let part: [Float] = state.withLock { state in
      if state.isRepeated, state.position >= state.samples.count { state.position = 0 }
      let end = min(state.samples.count, state.position + count)
      defer { state.position = end }
      return Array(state.samples[min(state.position, end)..<end])
    }
    return part.flatMap { sample -> [UInt8] in
      let code = UInt16(bitPattern: Int16(max(-1, min(1, sample)) * 32767))
      return [UInt8(truncatingIfNeeded: code), UInt8(truncatingIfNeeded: code >> 8)]
    }
  }
}
