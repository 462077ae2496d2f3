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
      (anechoic-server --allow-recording). What the microphone hears while it is muted is left out. \
      Ctrl-C ends the recording and keeps what has come.

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

  @Flag(help: "Replace the file where there is one.")
  var force = false

  @OptionGroup var target: ServerOption
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (0.1...3600).contains(wait) else { throw ValidationError("--wait takes 0.1 to 3600.") }
  }

  func run() async throws {
    let client = try target.sessionsClient(as: identity)
    let (name, path, wait, force) = (name.description, file, wait, force)
    do {
      let count = try await untilSignalled(saying: "\(path): stopped before the session's end") {
        let output = try RecordingFile(path, replacing: force)
        let stream = try await client.record(name, wait: .seconds(wait))
        standardError("waiting for \(name)\n")
        return try await RecordedSession.write(stream, to: output)
      }
      standardError("\(path): \(count) bytes of \(name), from its start to its end\n")
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }
}
