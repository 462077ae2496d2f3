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
    abstract: "Inject speech into a running session.",
    discussion: """
      The command first asks for permission, and waits until the session's media client has \
      answered. It returns when all the speech has been heard. Ctrl-C cancels the rest and exits \
      with 130.
        anechoic inject --session call-1 --text "The door is open."
        anechoic inject --session call-1 --audio news.wav --usage "Announcements"
      """)

  @Option(help: ArgumentHelp("The session: ID or sessions/ID.", valueName: "name"))
  var session: SessionName

  @Option(parsing: .unconditional, help: "The text to speak, by the server's synthesizer.")
  var text: String?

  @Option(parsing: .unconditional, help: "The voice of the synthesizer. (default: the server's)")
  var voice: String?

  @Option(
    help: ArgumentHelp("The audio to play instead of a text: WAV, FLAC or Ogg.", valueName: "file"))
  var audio: String?

  @Option(
    parsing: .unconditional,
    help: "The purpose of the speech. It is shown to the person who is asked for permission.")
  var usage = "Speech injected with anechoic inject"

  @Flag(help: "Let only the person at the device hear the speech, not the far end.")
  var onlyHere = false

  @Flag(help: "Wait until the session runs and takes speech.")
  var wait = false

  @OptionGroup var target: ServerOptions
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (text == nil) != (audio == nil) else {
      throw ValidationError("Give either --text or --audio.")
    }
    guard text?.allSatisfy(\.isWhitespace) != true else {
      throw ValidationError("--text must not be blank.")
    }
    guard voice == nil || text != nil else {
      throw ValidationError("--voice needs --text.")
    }
    guard !wait || !usage.isEmpty else {
      throw ValidationError("--usage must not be empty.")
    }
  }

  func run() async throws {
    do {
      let speech = try text.map { Speech.text($0, voice: voice ?? "") } ?? Speech(file: audio ?? "")
      let client = try await target.sessionsClient(as: identity)
      let (session, usage, wait, onlyHere) = (session.description, usage, wait, onlyHere)
      let heard = try await untilSignalled(saying: "the injection was cancelled") {
        if wait { try await Self.waitForCall(session, of: client) }
        try await Self.requirePermission(from: client, session, usage)
        return try await speech.inject(into: session, of: client, onlyHere: onlyHere)
      }
      try LineFile("-").show("injected \(Words.seconds(heard))")
    } catch let error as AudioFileError {
      throw CommandError(error.description)
    } catch let status as Status {
      throw CommandError(status, server: target.server)
    }
  }

  /// Returns when speech can be injected into a session, which need not run yet.
  private static func waitForCall(_ session: String, of client: SessionsClient) async throws {
    let watch = try await client.watchInjection(session)
    var notice = ""
    while let statuses = try await watch.receive() {
      guard let status = statuses.first else { continue }
      if status.available { return }
      let reason = status.permission == .serviceDisabled ? ": the server allows no injection" : ""
      let news = "waiting for \(session) to take speech\(reason)\n"
      if news != notice { standardError(news) }
      notice = news
    }
    throw Status(.unavailable, "the server has ended the watch")
  }

  private static func requirePermission(
    from client: SessionsClient, _ session: String, _ usage: String
  ) async throws {
    let notice = Task {
      try await Task.sleep(for: .seconds(1))
      standardError("waiting for the media client of \(session) to give permission\n")
    }
    defer { notice.cancel() }
    let permission = try await client.requestInjectionPermission(session, usageDescription: usage)
    guard permission == .granted else {
      throw CommandError("\(session): the permission to inject is \(Words.of(permission))")
    }
    // Otherwise the session refuses the speech, and says why.
    guard try await client.injectionStatus(session).available else { return }
    standardError("the permission to inject is granted\n")
  }
}
