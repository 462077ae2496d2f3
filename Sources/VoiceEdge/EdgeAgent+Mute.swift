internal import AnechoicAPI
internal import Foundation
internal import VoiceClient
internal import VoiceSessions

/// The mute key.
extension EdgeAgent {
  /// A press is a request: the session decides, and its state is what the lamp shows.
  func pressed() {
    let id = "key-\(UUID().uuidString)"
    guard case .connected(let session) = link.current else { return pressedLocally(id) }
    let server = configuration.server
    let client = SessionsClient(
      server: server.address, clientName: configuration.session.client, security: server.security)
    // What the person wants, and no toggle: a server that answers late must not turn it round.
    let wanted = !board.status.mute.session
    let press = Task {
      do {
        _ = try await client.reportMuteGesture(session, id: id, muted: wanted)
      } catch {
        // The server went away with the press in its hands.
        pressedLocally(id)
      }
    }
    let watch = Task { [board] in
      for await status in board.watch() where !status.isConnected { press.cancel() }
    }
    Task {
      await press.value
      watch.cancel()
    }
  }

  private func pressedLocally(_ id: String) {
    let mute = configuration.session.configuration.mute
    let command = mute.gesturePolicy == .ask ? configuration.mute.gestureCommand : nil
    GestureCommand.ask(command, muted: !board.status.mute.session) {
      [voice, configuration] accepts in
      guard accepts else { return }
      voice.post { voice in
        let origin = ControlOrigin(actor: configuration.session.client, isMediaClient: true)
        _ = voice.pressedLocally(MuteGesture(id: id, mutes: nil, origin: origin))
      }
    }
  }
}
