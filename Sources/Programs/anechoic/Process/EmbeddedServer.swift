internal import BundledEngines
internal import CommandLineSupport
internal import Foundation
internal import VoiceServer

/// A server in this process, for the duration of a job.
enum EmbeddedServer {
  /// Runs `body` with the server at `address`, or with a new server on a unix socket in a temporary
  /// folder. The folder is removed when `body` calls `connected`, so that a command that is stopped
  /// leaves nothing behind.
  static func orAt<Result>(
    _ address: String?,
    _ body: (_ address: String, _ connected: () -> Void) async throws -> Result
  ) async throws -> Result {
    if let address { return try await body(address, {}) }
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-\(UUID().uuidString)")
    let address = "unix:\(folder.path)/server.sock"
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    func removeFolder() { try? FileManager.default.removeItem(at: folder) }
    defer { removeFolder() }
    let server: VoiceProcessingServer
    do {
      var configuration = ServerConfiguration(
        addresses: [address], threads: 1, engines: .bundled)
      configuration.allowsRecording = true
      server = try VoiceProcessingServer(configuration)
    } catch {
      throw CommandError("\(error)")
    }
    do {
      let result = try await body(address, removeFolder)
      await server.stop(grace: .zero)
      return result
    } catch {
      await server.stop(grace: .zero)
      throw error
    }
  }
}
