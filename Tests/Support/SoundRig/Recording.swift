internal import Foundation
internal import Synchronization

/// A recording of a source of the rig, as one channel at 48 kHz, until it is stopped.
public final class Recording: Sendable {
  private let process: ChildProcess
  private let state = Mutex(State())
  private let pipe: Descriptor

  private struct State {
    var samples: [Float] = []
    var hasEnded = false
  }

  init(_ stream: SoundRig.Stream) {
    (process, pipe) = stream
    Thread.detachNewThread { [weak self, pipe] in
      while let block = pipe.read(48) {
        guard let self else { return }
        state.withLock { $0.samples += block }
      }
      self?.state.withLock { $0.hasEnded = true }
    }
  }

  deinit { process.stop() }

  /// All samples so far.
  public var samples: [Float] { state.withLock(\.samples) }

  /// Waits until this number of samples has arrived. Returns whether they arrived in time.
  public func wait(forSamples count: Int, within limit: Duration = .seconds(10)) -> Bool {
    waitUntil(within: limit) { state.withLock { $0.samples.count >= count } }
  }

  /// Stops the recording. Returns all samples, including what was played until now.
  @discardableResult
  public func stop() -> [Float] {
    // The last samples are on their way through the server and two pipes.
    usleep(100_000)
    process.stop()
    _ = waitUntil(within: .seconds(2)) { state.withLock(\.hasEnded) }
    return samples
  }
}
