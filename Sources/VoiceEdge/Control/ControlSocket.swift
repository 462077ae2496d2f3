public import Foundation

/// The socket of an agent's local control, where the configuration does not name one.
///
/// A service has the folder `/run/anechoic-edge`. An agent that a user starts has a folder of that user:
/// in `XDG_RUNTIME_DIR`, or else in `/tmp`.
public struct ControlSocket: Sendable {
  private static let systemFolder = "/run/anechoic-edge"
  private static let file = "control.sock"

  private let runtimeFolder: String?
  private let user: UInt32

  /// Takes the environment and the user of a process.
  public init(
    environment: [String: String] = ProcessInfo.processInfo.environment, user: UInt32 = geteuid()
  ) {
    runtimeFolder = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    self.user = user
  }

  /// The path for an agent that this user starts.
  public var path: String {
    "\(Self.canWrite(Self.systemFolder) ? Self.systemFolder : userFolder)/\(Self.file)"
  }

  /// The path of an agent that is running: that of this user's agent, or else that of the service. Without
  /// either, the path where this user's agent would be.
  public var pathOfRunningAgent: String {
    [path, "\(userFolder)/\(Self.file)", "\(Self.systemFolder)/\(Self.file)"].first {
      FileManager.default.fileExists(atPath: $0)
    } ?? path
  }

  /// The folder in `/tmp`, which anybody could have made.
  var temporaryFolder: String { "/tmp/anechoic-edge-\(user)" }

  var userFolder: String {
    guard let runtimeFolder, Self.canWrite(runtimeFolder) else { return temporaryFolder }
    return "\(runtimeFolder)/anechoic-edge"
  }

  /// Whether this process may write in a folder, or may make it.
  private static func canWrite(_ folder: String) -> Bool {
    if FileManager.default.fileExists(atPath: folder) { return access(folder, W_OK | X_OK) == 0 }
    return access(URL(filePath: folder).deletingLastPathComponent().path, W_OK | X_OK) == 0
  }
}
