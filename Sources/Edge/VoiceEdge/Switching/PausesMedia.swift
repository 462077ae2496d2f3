/// Media players of this machine, which the arbiter pauses during a call.
public protocol PausesMedia: Sendable {
  /// Whether something plays that the agent does not hear itself.
  var isPlaying: Bool { get async }

  /// Pauses what plays now.
  func pause() async

  /// Resumes what `pause` has paused, and nothing else.
  func resume() async
}

/// The other audio of the agent's own programs. While it is paused, the agent takes no samples from the
/// program: a program that writes into a FIFO waits.
struct OtherAudioPause: PausesMedia {
  let voice: Mailbox<EdgeVoice>

  /// The agent hears it.
  var isPlaying: Bool { false }

  func pause() async { voice.post { $0.calls.holdsOtherAudio = true } }

  func resume() async { voice.post { $0.calls.holdsOtherAudio = false } }
}

extension MediaPlayers: PausesMedia {
  func pause() async { await pause(for: .arbiter) }

  func resume() async { await resume(for: .arbiter) }
}
