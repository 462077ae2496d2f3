internal import AnechoicAPI
internal import SessionRecording
internal import SessionWire
internal import VoiceSessions

/// The call of another device that plays a session's playback.
struct PlaybackClient {
  let name: String
  let playback: PlaybackRing
}

/// The playback on another device. All functions run on the session's thread.
extension RunningSession {
  /// Passes the playback to a client from now on, instead of the previous one.
  func join(_ client: PlaybackClient) {
    if let before = player {
      before.playback.end(.takenOver)
      leave(before.playback)
    }
    player = client
    session.apply(.playbackClientChanged(client.name, hasJoined: true), sink: self)
  }

  /// Passes the playback to no client, unless another one has joined meanwhile.
  func leave(_ playback: PlaybackRing) {
    guard let player, player.playback === playback else { return }
    self.player = nil
    session.apply(.playbackClientChanged(player.name, hasJoined: false), sink: self)
  }

  /// Passes the playback to its client, and returns the chunk that the media client gets.
  /// Runs per chunk: no allocation, lock, log or await.
  func splitOff(_ chunk: OutputChunk) -> OutputChunk {
    guard setup.playsElsewhere else { return chunk }
    if let samples = chunk.playback { player?.playback.write(samples) }
    return chunk.withoutPlayback
  }
}
