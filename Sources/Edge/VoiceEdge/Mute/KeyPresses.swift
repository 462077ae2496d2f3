internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import VoiceClient

/// The presses of the mute key, which are decided one after another. A press is a request. The
/// session decides it, and the lamp shows the session's state. A press that asks to mute makes the voice
/// silent until it is decided.
final class KeyPresses: Sendable {
  /// The time after which a press is dropped, if no session can be reached or an earlier press is
  /// still being decided.
  private static let patience = Duration.seconds(5)
  /// The time limit of a report: more than the longest decision timeout of a session.
  private static let longestReport = Duration.seconds(65)
  /// The maximum number of presses that wait for a decision.
  private static let most = 16

  private struct Press: Sendable {
    var time = ContinuousClock.now
    /// The requested state. Nil asks for the other one.
    var mutes: Bool?
  }

  private let configuration: EdgeConfiguration
  private let voice: Mailbox<EdgeVoice>
  private let board: StatusBoard
  private let log: @Sendable (String) -> Void
  private let (presses, continuation) = AsyncStream.makeStream(
    of: Press.self, bufferingPolicy: .bufferingOldest(most))

  init(
    _ configuration: EdgeConfiguration, voice: Mailbox<EdgeVoice>, board: StatusBoard,
    log: @escaping @Sendable (String) -> Void
  ) {
    self.configuration = configuration
    self.voice = voice
    self.board = board
    self.log = log
  }

  /// Adds a press. `mutes` is the requested state, or nil for a change of the state.
  func add(mutes: Bool?) { continuation.yield(Press(mutes: mutes)) }

  /// Decides presses until the task is cancelled.
  func decideAll() async {
    for await press in presses {
      guard .now - press.time < Self.patience else {
        log("mute key: dropped a press because the previous one was not decided in time")
        continue
      }
      // Requests a state rather than a toggle, so that a late decision does not invert it.
      let other = await voice.ask { !$0.mute.session }
      guard press.mutes ?? other == other else { continue }
      if !other, await !voice.passesCaptured() { continue }
      if other, mutesWhilePressed { await voice.ask { $0.pressIsDecided(false) } }
      await decide("key-\(UUID().uuidString)", mutes: other)
      await voice.ask { $0.pressIsDecided(true) }
    }
  }

  /// Whether a press may mute.
  private var mutesWhilePressed: Bool {
    configuration.session.configuration.mute.gesturePolicy != .ignore
  }

  private func decide(_ id: String, mutes: Bool) async {
    var end: ContinuousClock.Instant?
    while !Task.isCancelled {
      // Only the voice thread knows the current server.
      let link = await voice.ask {
        $0.server.link.map { (session: $0.started.session, epoch: $0.epoch) }
      }
      guard let link else {
        if await decideLocally(id, mutes: mutes) { return }
        continue
      }
      do {
        let answer = try await report(id, mutes: mutes, to: link.session, by: link.epoch)
        // Before the next press, which may request the opposite.
        return await voice.ask { voice in
          if voice.server.link?.epoch == link.epoch {
            voice.mute(is: answer.state)
          } else if answer.state.muted == mutes {
            // Another session has followed the one that decided.
            voice.setMute(mutes)
          }
        }
      } catch let status as Status where status.hasNoSession && .now < end ?? .now + Self.patience {
        // The server or its session went away while it decided the press.
        end = end ?? .now + Self.patience
        try? await Task.sleep(for: .milliseconds(100))
      } catch {
        log("mute key: \((error as? Status)?.oneLine ?? "the press was not decided")")
        // A mute needs nobody's consent, so the agent asks the session again.
        if mutes, mutesWithoutDecision { await voice.ask { $0.setMute(true) } }
        return
      }
    }
  }

  /// Whether a press mutes although nobody has decided it.
  private var mutesWithoutDecision: Bool {
    mutesWhilePressed && configuration.session.configuration.mute.gesturePolicy != .ask
  }

  private func report(
    _ id: String, mutes: Bool, to session: String, by connection: Int
  ) async throws -> Anechoic_V1_ReportMuteGestureResponse {
    let server = configuration.server
    let client = SessionsClient(
      server: server.address, clientName: configuration.session.client, security: server.security,
      credentials: server.credentials)
    return try await answer(
      of: "server", within: Self.longestReport, otherwise: .aborted
    ) { [board] in
      try await board.whileConnected(by: connection) {
        try await client.reportMuteGesture(session, id: id, muted: mutes)
      }
    }
  }

  /// Decides a press on this machine. Returns false if a server has appeared, which must decide it.
  private func decideLocally(_ id: String, mutes: Bool) async -> Bool {
    guard await GestureCommand.accepts(configuration.localGestureCommand, muted: mutes) else {
      return true
    }
    return await voice.ask { voice in
      guard voice.server.link == nil else { return false }
      _ = voice.pressedLocally(id: id, mutes: mutes)
      return true
    }
  }
}

extension EdgeConfiguration {
  /// The command that decides a press if no server asks.
  var localGestureCommand: String? {
    session.configuration.mute.gesturePolicy == .ask ? mute.gestureCommand : nil
  }
}

extension Status {
  /// Whether there is no session that could decide the press.
  fileprivate var hasNoSession: Bool { isUnreachable || code == .notFound }
}

/// The command that decides a press of the mute key. Exit status 0 accepts. The variable
/// `ANECHOIC_MUTED` contains the requested state, true or false.
enum GestureCommand {
  /// Returns whether the press is accepted. Without a command, every press is accepted. A command
  /// that cannot be run, takes too long, or whose task is cancelled, accepts nothing.
  static func accepts(
    _ command: String?, muted: Bool, longestTime: Duration = ShellCommand.longestTime
  ) async -> Bool {
    guard let command else { return true }
    let variables = ["ANECHOIC_MUTED": muted ? "true" : "false"]
    return await ShellCommand.run(command, variables, longestTime: longestTime) == 0
  }
}
