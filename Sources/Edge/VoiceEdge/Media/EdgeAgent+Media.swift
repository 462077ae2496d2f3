/// The media players during a session.
extension EdgeAgent {
  /// Pauses media players while a session runs, if the configuration says so, until the task is
  /// cancelled. Then resumes them.
  func pauseMedia() async {
    guard let mediaPlayers else { return }
    await withTaskGroup { [board, configuration] group in
      group.addTask { await mediaPlayers.run() }
      guard configuration.programs.mediaDuringCalls == .pause else { return }
      group.addTask {
        var hadSession: Bool?
        for await status in board.watch() where status.hasSession != hadSession {
          hadSession = status.hasSession
          if status.hasSession == true {
            await mediaPlayers.pause(for: .session)
          } else {
            await mediaPlayers.resume(for: .session)
          }
        }
      }
    }
    await mediaPlayers.finish()
  }
}

extension EdgeConfiguration.Programs {
  var sessionBusAddress: BusAddress { sessionBus.map { BusAddress($0) } ?? .session() }

  /// The effect of a call on media players. By default, a call on a desktop pauses them.
  var mediaDuringCalls: Media {
    media != .automatic ? media : desktop == .none ? .leave : .pause
  }
}

extension MediaPlayers {
  init(
    _ programs: EdgeConfiguration.Programs, log: @escaping @Sendable (String) -> Void
  ) {
    self.init(
      programs.sessionBusAddress,
      file: RememberedFile(programs.mediaMemory, "paused-players.json"), log: log)
  }
}
