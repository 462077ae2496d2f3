public import Authentication
internal import CommandLineSupport
internal import Foundation
internal import GRPCTransport
internal import Operations
public import Settings
internal import SpatialAudio
public import VoiceServer

/// The parts that a server starts with, made of its settings and of the files that they name.
public struct PreparedServer: Sendable {
  /// The configuration, without metrics and log.
  public var configuration: ServerConfiguration
  /// The keys that verify tokens, or nil.
  public let keys: TokenKeySource?
  /// Warnings for the operator.
  public let warnings: [String]
}

extension LayeredValues<ServerSettings> {
  /// Reads the files that the settings name. Throws a failure that names the setting whose file cannot
  /// be used, or that lacks a decision. `report` gets the reason whenever the file of permissions
  /// cannot be written, and for each stored profile that cannot be used.
  public func prepared(report: @escaping @Sendable (String) -> Void) throws -> PreparedServer {
    if let address = values.authentication.addressThatNeedsMode(of: values.listen) {
      throw failure(
        "listen.public",
        "other machines can reach \(address), so say how clients prove who they are: "
          + "--authentication jwt or certificate, or --authentication none to let every client do "
          + "everything")
    }
    var configuration = try values.configuration { place(of: $0) }
    let keys: TokenKeySource?
    do {
      (configuration.authenticator, keys) = try values.authentication.authenticator()
    } catch let error as CommandError {
      throw failure("authentication.jwt_keys", error.description)
    }
    do throws(PermissionStoreError) {
      configuration.permissions = try values.injectionPermissionsFile.map {
        path throws(PermissionStoreError) in try PermissionStore(path: path, report: report)
      }
    } catch {
      throw failure("sessions.injection_permissions_file", error.description)
    }
    do throws(ProfileStoreError) {
      configuration.profiles = try ProfileStore(
        reader: .this, directory: values.profilesDirectory, report: report)
    } catch {
      throw failure("sessions.profiles_directory", error.description)
    }
    return PreparedServer(
      configuration: configuration, keys: keys,
      warnings: [
        values.authentication.warning(
          for: values.listen, isEncrypted: configuration.security.isEncrypted),
        keys?.warning,
      ].compactMap { $0 })
  }

  /// Throws a failure if the file of the audit log cannot be written to, or made.
  public func checkAuditLog() throws {
    guard let path = values.auditLog else { return }
    guard LineWriter.canOpen(path) else {
      throw failure("log.audit_file", CommandError(systemErrorAt: path).description)
    }
  }

  private func failure(_ path: String, _ problem: String) -> CommandError {
    CommandError(wrong(path, problem).description)
  }
}
