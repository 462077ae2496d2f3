internal import ArgumentParser
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import VoiceClient

struct RecordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record a session, so that it can be replayed bit for bit.",
    discussion: """
      Start the recorder before the session, as a recording contains the session from its start. The \
      server must allow recording (anechoic-server --allow-recording). The recording does not contain \
      what the microphone hears while it is muted.

        anechoic record call-1 call-1.rec --background
        anechoic process --server 127.0.0.1:50051 --session-id call-1 \\
          --microphone mic.wav --output voice.wav
        anechoic replay call-1.rec

      Exits with 0 at the end of the session, with 130 after Ctrl-C, which keeps the recording so far, \
      and with 2 if nothing can be recorded. With --background it exits with 0 as soon as the server \
      waits for the session, and records in a process of its own.
      """)

  @Argument(help: "The session: ID or sessions/ID.")
  var name: SessionName

  @Argument(help: "The file to write the recording to.")
  var file: String

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to wait for the session to start: 60s, 5m, from 100ms to 1h.", valueName: "time"))
  var wait = DurationArgument(.seconds(60))

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Flag(help: "Return once the server waits for the session, and record in the background.")
  var background = false

  @OptionGroup var target: ServerOptions
  @OptionGroup var identity: ClientOption

  func validate() throws {
    guard (.milliseconds(100) ... .seconds(3600)).contains(wait.duration) else {
      throw ValidationError("--wait must be from 100ms to 1h.")
    }
    try FileRoles.refuseStandardOutput([("FILE", file)])
  }

  func run() async throws {
    if background, !BackgroundRecorder.isThisProcess { throw try await BackgroundRecorder.start() }
    let client = try await target.sessionsClient(as: identity)
    let (name, path, wait, force) = (name.description, file, wait.duration, force)
    do {
      let count = try await untilSignalled(
        saying: "\(path): stopped before the end of the session"
      ) {
        let output = try RecordingFile(path, replacing: force)
        let stream = try await client.record(name, wait: wait)
        standardError("waiting for \(name)\n")
        BackgroundRecorder.reportReady()
        return try await RecordingDownload.write(stream, to: output)
      }
      standardError("\(path): the recording of \(name) is complete, \(count) bytes\n")
    } catch let status as Status {
      throw CommandError(status, server: target.server)
    }
  }
}

/// A second process of this command, which records after the first one has returned.
private enum BackgroundRecorder {
  /// The environment variable that marks the second process.
  private static let variable = "ANECHOIC_RECORDER"
  private static let ready = Data("ready\n".utf8)

  static var isThisProcess: Bool { ProcessInfo.processInfo.environment[variable] != nil }

  /// Starts the second process with the arguments of this one. Returns the exit code for this
  /// process: 0 once the second process is ready, or the exit code of a second process that failed.
  static func start() async throws -> ExitCode {
    let recorder = Process()
    let output = Pipe()
    recorder.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    recorder.arguments = Array(CommandLine.arguments.dropFirst())
    recorder.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
    recorder.standardInput = FileHandle.nullDevice
    recorder.standardOutput = output
    do { try recorder.run() } catch {
      throw CommandError("the background process cannot be started: \(error)")
    }
    // The second process closes its end of the pipe when it is ready or when it ends.
    try output.fileHandleForWriting.close()
    if try output.fileHandleForReading.readToEnd() == ready { return ExitCode.success }
    recorder.waitUntilExit()
    return ExitCode(recorder.terminationStatus)
  }

  /// Tells the first process to return.
  static func reportReady() {
    guard isThisProcess else { return }
    try? FileHandle.standardOutput.write(contentsOf: ready)
    try? FileHandle.standardOutput.close()
  }
}
