internal import AnechoicAPI
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
    if let before = outlet.player {
      before.playback.end(.takenOver)
      leave(before.playback)
    }
    outlet.player = client
    session.apply(.playbackClientChanged(client.name, hasJoined: true), sink: self)
  }

  /// Passes the playback to no client, unless another one has joined meanwhile.
  func leave(_ playback: PlaybackRing) {
    guard let player = outlet.player, player.playback === playback else { return }
    outlet.player = nil
    session.apply(.playbackClientChanged(player.name, hasJoined: false), sink: self)
  }
}
