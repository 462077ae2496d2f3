internal import ArgumentParser
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a session, so that it can be replayed bit for bit.",
    discussion: """
      The session must not have started yet: a recording begins with it. The server has to allow it \
      (anechoic-server --allow-recording). What the microphone hears while it is muted is left out.

        anechoic record call-1 call-1.rec &
        anechoic process --server 127.0.0.1:50051 --session-id call-1 \\
          --microphone mic.wav --output voice.wav
        anechoic replay call-1.rec
      """)

  @Argument(help: "ID or sessions/ID.")
  var name: SessionName

  @Argument(help: "Where the recording goes.")
  var file: String

  @Option(help: ArgumentHelp("How long to wait for the session.", valueName: "seconds"))
  var wait = 60.0

  @OptionGroup var target: ServerOption
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (0.1...3600).contains(wait) else { throw ValidationError("--wait takes 0.1 to 3600.") }
  }

  func run() async throws {
    do {
      let client = SessionsClient(
        server: target.server, clientName: identity.client.description)
      let stream = try await client.record(name.description, wait: .seconds(wait))
      let output = try LineFile(file)
      standardError("waiting for \(name)\n")
      let count = try await RecordedSession.write(stream, to: output)
      standardError("\(file): \(count) bytes\n")
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }
}
