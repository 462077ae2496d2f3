import Foundation
import Glibc
import Synchronization
import Testing
import TestTime

/// A program that records signed 16-bit samples from a FIFO.
final class FIFOTap: Sendable {
  private let bytes = Mutex<[UInt8]>([])
  private let isStopped = Atomic(false)
  private let done = DispatchSemaphore(value: 0)

  /// Opens the FIFO, which is created if it does not exist.
  init(_ path: String) {
    _ = mkfifo(path, 0o600)
    Thread.detachNewThread { [self] in
      let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      var buffer = [UInt8](repeating: 0, count: 8192)
      while descriptor >= 0, !isStopped.load(ordering: .relaxed) {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 {
          bytes.withLock { $0 += buffer[..<count] }
        } else {
          awaitReadiness(of: descriptor, for: POLLIN)
        }
      }
      if descriptor >= 0 { close(descriptor) }
      done.signal()
    }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    done.wait()
  }

  var samples: [Float] {
    bytes.withLock { bytes in
      bytes.withUnsafeBytes { bytes in
        (0..<(bytes.count / 2)).map {
          Float(bytes.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self)) / 32768
        }
      }
    }
  }

  var count: Int { bytes.withLock { $0.count / 2 } }

  /// Waits until the newest 1,600 samples are silent.
  func becomesSilent() async throws {
    try await eventually("it is silent") {
      let newest = samples.suffix(1600)
      return newest.count == 1600 && newest.allSatisfy { $0 == 0 }
    }
  }

  /// Discards the recorded samples.
  func clear() { bytes.withLock { $0.removeAll(keepingCapacity: true) } }
}

/// Waits until a FIFO can be used, for 20 ms at most, so that the caller notices that it has to stop.
private func awaitReadiness(of descriptor: Int32, for events: Int32) {
  var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
  poll(&entry, 1, 20)
  // Without a writer, a FIFO is always ready.
  if entry.revents & Int16(POLLHUP) != 0 { poll(nil, 0, 2) }
}

/// A program that plays to a FIFO.
final class FIFOFeed: Sendable {
  private let isStopped = Atomic(false)
  private let written = Atomic(0)
  private let done = DispatchSemaphore(value: 0)

  /// Plays the samples of `signal` again and again.
  init(_ path: String, _ signal: [Float]) {
    _ = mkfifo(path, 0o600)
    var encoded: [UInt8] = []
    for sample in signal {
      withUnsafeBytes(of: Int16(max(-1, min(1, sample)) * 32767)) { encoded += $0 }
    }
    Thread.detachNewThread { [self, encoded] in
      // Opens the FIFO for reading too, so that opening does not wait and writing without a reader
      // raises no signal.
      let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
      var offset = 0
      while descriptor >= 0, !isStopped.load(ordering: .relaxed) {
        let size = min(960, encoded.count - offset)
        let count = encoded.withUnsafeBytes {
          Glibc.write(descriptor, $0.baseAddress.map { $0 + offset }, size)
        }
        if count > 0 {
          offset = (offset + count) % encoded.count
          written.add(count / 2, ordering: .relaxed)
        } else {
          awaitReadiness(of: descriptor, for: POLLOUT)
        }
      }
      if descriptor >= 0 { close(descriptor) }
      done.signal()
    }
  }

  /// The number of samples that were read by the agent.
  var count: Int { written.load(ordering: .relaxed) }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    done.wait()
  }
}
