import VoiceClient

/// Mutes all sessions of a server that are live, and follows the first of them until it ends.
@main
enum Main {
  static func main() async throws {
    let server = CommandLine.arguments.dropFirst().first ?? "127.0.0.1:50051"
    let sessions = SessionsClient(server: server, clientName: "desk")
    let running = try await sessions.list()
    for session in running where !session.mute.muted {
      // Fails with ABORTED if somebody else was faster.
      let change = try await sessions.setMute(
        session.name, muted: true, ifGeneration: session.mute.generation)
      print("\(session.name) was muted by \(change.state.actor)")
    }
    guard let first = running.first else { return print("\(server) has no sessions") }
    let watch = try await sessions.watch(first.name)
    while let item = try await watch.receive() { print(item) }
  }
}
