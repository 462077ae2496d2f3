internal import AnechoicAPI
internal import ArgumentParser
internal import AudioFiles
internal import CommandLineSupport
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceClient

struct InjectCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inject",
    abstract: "Speak into a session that runs on a server.",
    discussion: """
      Asks for permission first, and waits until the session's media client has answered. The \
      session has to take injected speech, as that of anechoic process --injection does. Returns \
      when all has been heard; Ctrl-C cancels what has not.
        anechoic inject --session call-1 --text "The door is open."
        anechoic inject --session call-1 --audio news.wav --usage "Announcements"
      """)

  @Option(help: ArgumentHelp("ID or sessions/ID.", valueName: "name"))
  var session: SessionName

  @Option(help: "What the server's synthesizer shall say.")
  var text: String?

  @Option(help: "The synthesizer's voice. (default: the server's)")
  var voice: String?

  @Option(help: ArgumentHelp("WAV, FLAC or Ogg to be heard instead.", valueName: "file"))
  var audio: String?

  @Option(help: "What the person who permits it is told.")
  var usage = "Speech injected with anechoic inject"

  @OptionGroup var target: ServerOption
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (text == nil) != (audio == nil) else {
      throw ValidationError("Either --text or --audio is needed.")
    }
    guard voice == nil || text != nil else {
      throw ValidationError("--voice goes with --text.")
    }
  }

  func run() async throws {
    do {
      let speech = try text.map { Speech.text($0, voice: voice ?? "") } ?? Speech(file: audio ?? "")
      let client = try target.sessionsClient(as: identity)
      let (session, usage) = (session.description, usage)
      let heard = try await untilSignalled(saying: "the injection was cancelled") {
        try await Self.requirePermission(from: client, session, usage)
        return try await speech.inject(into: session, of: client)
      }
      try LineFile("-").write("injected \(Words.seconds(heard))")
    } catch let error as AudioFileError {
      throw CommandFailure(error.description)
    } catch let status as Status {
      throw CommandFailure(status, server: target.server)
    }
  }

  private static func requirePermission(
    from client: SessionsClient, _ session: String, _ usage: String
  ) async throws {
    let notice = Task {
      try await Task.sleep(for: .seconds(1))
      standardError("waiting until the media client of \(session) permits it\n")
    }
    defer { notice.cancel() }
    let permission = try await client.requestInjectionPermission(session, usageDescription: usage)
    guard permission == .granted else {
      throw CommandFailure("\(session): permission to inject is \(Words.of(permission))")
    }
    standardError("permission to inject is granted\n")
  }
}
