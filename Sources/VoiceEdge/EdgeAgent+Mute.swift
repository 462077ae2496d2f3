internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import VoiceClient
internal import VoiceSessions

/// The mute key.
extension EdgeAgent {
  /// A server that was away for so long does not hear of a press any more.
  private static let longestPress = Duration.seconds(5)

  /// A press of the mute key. What the person wants is said, and no toggle: a server that answers late
  /// must not turn it round.
  private struct Press {
    let id = "key-\(UUID().uuidString)"
    let end = ContinuousClock.now + longestPress
    let mutes: Bool
  }

  /// A press is a request: the session decides, and its state is what the lamp shows.
  func pressed() {
    voice.post { [self] voice in decide(Press(mutes: !voice.mute.session), voice) }
  }

  /// Where is known by the voice thread alone: servers come and go.
  private func decide(_ press: Press, _ voice: EdgeVoice) {
    if let session = voice.link?.started.session {
      report(press, to: session)
    } else {
      decideLocally(press)
    }
  }

  private func report(_ press: Press, to session: String) {
    let server = configuration.server
    let client = SessionsClient(
      server: server.address, clientName: configuration.session.client, security: server.security)
    let report = Task { [self] in
      do {
        _ = try await client.reportMuteGesture(session, id: press.id, muted: press.mutes)
      } catch let status as Status where status.hasNoSession && .now < press.end {
        // The server or its session went away with the press in its hands.
        try? await Task.sleep(for: .milliseconds(100))
        voice.post { [self] voice in decide(press, voice) }
      } catch {
        log("mute key: \((error as? Status)?.oneLine ?? "the press was not decided")")
      }
    }
    let watch = Task { [board] in
      for await status in board.watch() where !status.isConnected { report.cancel() }
    }
    Task {
      _ = await report.result
      watch.cancel()
    }
  }

  private func decideLocally(_ press: Press) {
    GestureCommand.ask(configuration.localGestureCommand, muted: press.mutes) { [self] accepts in
      guard accepts else { return }
      voice.post { [self] voice in
        // A server that came meanwhile decides.
        if let session = voice.link?.started.session { return report(press, to: session) }
        let origin = ControlOrigin(actor: configuration.session.client, isMediaClient: true)
        _ = voice.pressedLocally(MuteGesture(id: press.id, mutes: press.mutes, origin: origin))
      }
    }
  }
}

extension EdgeConfiguration {
  /// What decides a press where no server asks.
  var localGestureCommand: String? {
    session.configuration.mute.gesturePolicy == .ask ? mute.gestureCommand : nil
  }
}

extension Status {
  /// There is no session that could decide anything.
  fileprivate var hasNoSession: Bool { isUnreachable || code == .notFound }
}
