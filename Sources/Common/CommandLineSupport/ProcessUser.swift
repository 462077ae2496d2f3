internal import Foundation

/// The user that this process runs as.
public enum ProcessUser {
  /// Makes the process run as the user with a name, with the groups of that user, for good. Throws if
  /// there is no such user, or if the process may not do this, which only root may.
  public static func become(_ name: String) throws(CommandError) {
    guard let user = getpwnam(name) else { throw CommandError("there is no user \(name)") }
    let (identifier, group) = (user.pointee.pw_uid, user.pointee.pw_gid)
    guard geteuid() != identifier else { return }
    guard geteuid() == 0 else {
      throw CommandError("only root can check what another user may do; run this as \(name)")
    }
    guard initgroups(name, group) == 0, setgid(group) == 0, setuid(identifier) == 0 else {
      throw CommandError(systemErrorAt: name)
    }
  }
}
