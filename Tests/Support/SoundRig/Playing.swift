internal import Foundation
internal import Synchronization

/// Sound that is being played into a sink of the rig. It continues if the object is released.
public final class Playing: Sendable {
  private let process: ChildProcess

  init(_ samples: [Float], _ stream: SoundRig.Stream) {
    process = stream.process
    let pipe = stream.pipe
    Thread.detachNewThread { [process] in
      blockPipeSignals()
      // The pipe is closed afterwards. The program then plays the rest.
      withExtendedLifetime(pipe) { _ = pipe.write(samples) }
      _ = process
    }
  }

  /// Waits until the last sample was played, or for `limit`. Returns whether the last sample was
  /// played.
  @discardableResult
  public func wait(within limit: Duration = .seconds(60)) -> Bool {
    process.wait(within: limit) == 0
  }

  /// Stops the playback.
  public func stop() { process.stop() }
}

/// Blocks SIGPIPE, so that writing to a program that has ended fails with an error.
func blockPipeSignals() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}
