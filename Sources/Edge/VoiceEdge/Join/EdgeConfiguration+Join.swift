internal import EchoAlignment
internal import Settings

extension EdgeConfiguration {
  /// The time by which the largest margin of the buffer is longer than the least one.
  private static let spareMargin = Duration.milliseconds(200)

  /// The buffer between the server and the loudspeaker. The playback of another device's session
  /// has a longer one, because each jump makes an echo that the session must find again.
  var playoutBuffer: PlayoutBuffer.Settings {
    var settings = PlayoutBuffer.Settings()
    guard session.join != nil else { return settings }
    settings.leastMargin = session.joinBuffer
    settings.largestMargin = session.joinBuffer + Self.spareMargin
    return settings
  }

  func makeLink(
    _ voice: Mailbox<EdgeVoice>, _ board: StatusBoard, log: @escaping @Sendable (String) -> Void
  ) -> any EdgeLink {
    guard let join = session.join else {
      return ServerLink(
        server, client: session.client, share: session.share.map { JoinTicketFile(path: $0) },
        voice: voice, board: board, log: log)
    }
    return JoinLink(
      server, client: session.client, file: JoinTicketFile(path: join), voice: voice, log: log)
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Checks the keys that a session on two devices excludes. An agent that joins has no microphone.
  mutating func settleJoin() throws(SettingsError) {
    if values.session.share != nil, values.audio.reference == .tap {
      throw wrong(
        "audio.reference",
        "tap needs a loudspeaker here, but session.share lets another device play")
    }
    guard values.session.join != nil else { return }
    guard values.session.share == nil else {
      throw wrong("session.join", "cannot be set together with session.share")
    }
    for (key, endpoint) in [
      ("far_end", values.programs.farEnd), ("other_audio", values.programs.otherAudio),
      ("voice", values.programs.voice),
    ] where endpoint != nil {
      throw wrong("programs.\(key)", "an agent with session.join only plays")
    }
    guard values.programs.farEnds.isEmpty else {
      throw wrong("programs.far_ends", "an agent with session.join only plays")
    }
    for index in values.routes.ports.indices {
      (values.routes.ports[index].input, values.routes.ports[index].loopback) = (nil, nil)
      values.routes.ports[index].referenceChannels = []
    }
    values.routes.ports.removeAll { $0.output == nil }
    let isReached =
      if case .only(let id) = values.routes.policy {
        values.routes.ports.contains { $0.id == id }
      } else {
        !values.routes.ports.isEmpty
      }
    guard isReached else {
      throw wrong("session.join", "needs a port with an output")
    }
  }
}
