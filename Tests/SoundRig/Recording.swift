internal import Foundation
internal import Synchronization

/// What a source of the rig gives, one channel at 48 kHz, from when it began until it is stopped.
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

  /// All that has come so far.
  public var samples: [Float] { state.withLock(\.samples) }

  /// Waits until so many samples have come. Whether they did in time.
  public func wait(forSamples count: Int, within limit: Duration = .seconds(10)) -> Bool {
    waitUntil(within: limit) { state.withLock { $0.samples.count >= count } }
  }

  /// All that came, with what was played until now.
  @discardableResult
  public func stop() -> [Float] {
    // On its way through the server and two pipes.
    usleep(100_000)
    process.stop()
    _ = waitUntil(within: .seconds(2)) { state.withLock(\.hasEnded) }
    return samples
  }
}
