internal import COpenSSL
internal import Identity

/// The client that owns profiles, as the name of a folder. Clients that have proved their names share
/// no profiles with those that have not.
struct ProfileOwner: Hashable, Sendable {
  let folder: String

  init(_ client: Principal) {
    folder = SHA256Digest.hex(
      Array("\(client.isVerified ? "verified" : "claimed"):\(client.name)".utf8))
  }

  /// Creates the owner of a stored folder. Returns nil for another name.
  init?(folder: String) {
    guard folder.utf8.count == 64,
      folder.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
    else { return nil }
    self.folder = folder
  }
}

enum SHA256Digest {
  static let size = 32

  static func of(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: size)
    let isDone: Void? = bytes.withContiguousStorageIfAvailable {
      _ = EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil)
    }
    return isDone == nil ? of(Array(bytes)) : digest
  }

  static func hex(_ bytes: [UInt8]) -> String { text(of(bytes)) }

  static func text(_ digest: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef")
    return String(digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
  }
}
