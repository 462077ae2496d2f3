internal import Foundation
internal import Synchronization

/// Sound that is being played into a sink of the rig. Goes on when nobody holds it.
public final class Playing: Sendable {
  private let process: ChildProcess

  init(_ samples: [Float], _ stream: SoundRig.Stream) {
    process = stream.process
    let pipe = stream.pipe
    Thread.detachNewThread { [process] in
      blockPipeSignals()
      // Closed when this ends, after which the program plays the rest.
      withExtendedLifetime(pipe) { _ = pipe.write(samples) }
      _ = process
    }
  }

  /// Until the last sample was played, or `limit`. Whether it was.
  @discardableResult
  public func wait(within limit: Duration = .seconds(60)) -> Bool {
    process.wait(within: limit) == 0
  }

  /// Breaks off.
  public func stop() { process.stop() }
}

/// Who writes to a program that is gone is to get an error, and no signal.
func blockPipeSignals() {
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &signals, nil)
}
