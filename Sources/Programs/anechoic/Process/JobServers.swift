internal import AudioFiles
internal import CommandLineSupport
internal import GRPCTransport
internal import VoiceClient

/// The servers of a job and the connection to them.
struct JobServers {
  /// The address of the server. Nil is a server inside this command.
  var address: String?
  /// The servers on which a new session starts if the first has lost the session.
  var elsewhere: [String] = []
  var connection: ServerAccess
  var clientName: String
  /// The longest time without any server.
  var outage = Duration.seconds(15)

  /// Runs a job and records its session to a file, if there is a path. A failure is one line.
  func run(_ job: ProcessJob, recordingTo record: String? = nil) async throws -> JobSummary {
    let security = try connection.channelSecurity()
    let credentials = connection.credentials
    func client(_ server: String) -> VoiceProcessingClient {
      VoiceProcessingClient(
        server: server, clientName: clientName, security: security, credentials: credentials)
    }
    do {
      if let address { try await connection.waitForServer(at: address) }
      return try await EmbeddedServer.orAt(address) { server, connected in
        try await RecordingDownload.record(
          to: record,
          by: SessionsClient(
            server: server, clientName: clientName, security: security, credentials: credentials),
          sessionID: job.sessionID
        ) {
          try await job.run(
            on: client(server), elsewhere: elsewhere.map(client), reconnecting: outage,
            connected: connected)
        }
      }
    } catch let error as AudioFileError {
      throw CommandError(error.description)
    } catch let status as Status {
      throw address.map { CommandError(status, server: $0) } ?? CommandError("\(status)")
    }
  }
}
