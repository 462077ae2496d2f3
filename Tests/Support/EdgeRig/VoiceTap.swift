internal import Foundation
internal import Synchronization

/// A reader of the samples that an agent writes into a FIFO, as one channel of 16 bits. It records
/// when they arrived.
public final class VoiceTap: Sendable {
  private struct State {
    var samples: [Float] = []
    /// The number of samples that had arrived at each time.
    var times: [(count: Int, time: ContinuousClock.Instant)] = []
    var isStopped = false
  }

  private let state = Mutex(State())

  public init(path: String) {
    mkfifo(path, 0o600)
    Thread.detachNewThread { [self] in
      let descriptor = open(path, O_RDONLY | O_NONBLOCK)
      guard descriptor >= 0 else { return }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 9600)
      while !state.withLock(\.isStopped) {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, 20) > 0 else { continue }
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else {
          usleep(2000)
          continue
        }
        let samples = bytes.withUnsafeBytes { bytes in
          (0..<(count / 2)).map {
            Float(Int16(littleEndian: bytes.load(fromByteOffset: 2 * $0, as: Int16.self))) / 32768
          }
        }
        state.withLock { state in
          state.samples += samples
          state.times.append((state.samples.count, .now))
        }
      }
    }
  }

  /// All samples so far.
  public var samples: [Float] { state.withLock(\.samples) }

  /// Returns the number of samples that had arrived at a time.
  public func count(at time: ContinuousClock.Instant) -> Int {
    state.withLock { $0.times.last { $0.time <= time }?.count ?? 0 }
  }

  public func stop() { state.withLock { $0.isStopped = true } }
}
