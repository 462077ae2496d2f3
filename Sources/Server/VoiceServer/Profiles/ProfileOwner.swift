internal import Authentication
internal import LinuxSystem

/// The client that owns profiles, as the name of a folder. Clients that have proved their names share
/// no profiles with those that have not.
struct ProfileOwner: Hashable, Sendable {
  let folder: String

  init(_ client: Principal) {
    let name = "\(client.isVerified ? "verified" : "claimed"):\(client.name)"
    folder = SHA256.hexadecimal(SHA256.digest(of: Array(name.utf8)))
  }

  /// Creates the owner of a stored folder. Returns nil for another name.
  init?(folder: String) {
    guard folder.utf8.count == 64,
      folder.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.folder = folder
  }
}
