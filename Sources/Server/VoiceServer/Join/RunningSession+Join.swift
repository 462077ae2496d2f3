internal import AnechoicAPI
internal import SessionWire
internal import SessionRecording
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
    note(client.name, hasJoined: true)
  }

  /// Passes the playback to no client, unless another one has joined meanwhile.
  func leave(_ playback: PlaybackRing) {
    guard let player, player.playback === playback else { return }
    self.player = nil
    note(player.name, hasJoined: false)
  }

  private func note(_ client: String, hasJoined: Bool) {
    recorder?.note(
      .playbackClientChanged(Anechoic_V1_PlaybackClientChanged(client, hasJoined: hasJoined)))
    session.playbackClientChanged(client, hasJoined: hasJoined, sink: self)
  }

  /// Passes the playback to its client, and returns the chunk that the media client gets.
  /// Runs per chunk: no allocation, lock, log or await.
  func splitOff(_ chunk: OutputChunk) -> OutputChunk {
    guard setup.playsElsewhere else { return chunk }
    if let samples = chunk.playback { player?.playback.write(samples) }
    return chunk.withoutPlayback
  }
}
