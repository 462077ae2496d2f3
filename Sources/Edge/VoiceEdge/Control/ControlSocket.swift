public import Foundation

/// The default path of the socket of an agent's local control.
///
/// A service uses the folder `/run/anechoic-edge`. An agent that a user starts uses a folder of
/// that user below `XDG_RUNTIME_DIR`, or otherwise in `/tmp`.
public struct ControlSocket: Sendable {
  private static let systemFolder = "/run/anechoic-edge"
  private static let file = "control.sock"

  private let runtimeFolder: String?
  private let user: UInt32

  /// Creates the paths for a process with this environment and this user.
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

  /// The path of a running agent: the agent of this user, or otherwise the service. If neither has
  /// a socket, the path that an agent of this user would use.
  public var pathOfRunningAgent: String {
    [path, "\(userFolder)/\(Self.file)", "\(Self.systemFolder)/\(Self.file)"].first {
      FileManager.default.fileExists(atPath: $0)
    } ?? path
  }

  /// The folder in `/tmp`. Another user may have created it.
  var temporaryFolder: String { "/tmp/anechoic-edge-\(user)" }

  var userFolder: String {
    guard let runtimeFolder, Self.canWrite(runtimeFolder) else { return temporaryFolder }
    return "\(runtimeFolder)/anechoic-edge"
  }

  /// Returns whether this process may write in a folder, or may create the folder.
  private static func canWrite(_ folder: String) -> Bool {
    if FileManager.default.fileExists(atPath: folder) { return access(folder, W_OK | X_OK) == 0 }
    return access(URL(filePath: folder).deletingLastPathComponent().path, W_OK | X_OK) == 0
  }
}
