internal import AnechoicAPI
internal import Authentication
internal import Foundation
internal import LinuxSystem
internal import SpatialAudio

/// The folder of stored profiles: a folder for each owner, and a file for each profile. A file is
/// written by replacing it.
struct ProfileFolder: Sendable {
  private static let suffix = ".profile"

  private let folder: URL

  /// Opens the folder, and creates it if it does not exist.
  init(path: String) throws(ProfileStoreError) {
    folder = URL(fileURLWithPath: path, isDirectory: true)
    var isFolder: ObjCBool = false
    if !FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
      guard mkdir(path, 0o700) == 0 else { throw ProfileStoreError(systemErrorAt: path) }
    } else if !isFolder.boolValue {
      throw ProfileStoreError(description: "\(path): this is not a folder")
    }
    guard access(path, R_OK | W_OK | X_OK) == 0 else {
      throw ProfileStoreError(systemErrorAt: path)
    }
  }

  /// Returns all profiles, and the problems of the files that are left out.
  func profiles() -> (found: [(ProfileOwner, StoredProfile)], problems: [String]) {
    var (found, problems): ([(ProfileOwner, StoredProfile)], [String]) = ([], [])
    for name in names(in: folder) {
      guard let owner = ProfileOwner(folder: name) else { continue }
      for file in names(in: folder.appendingPathComponent(name)) where file.hasSuffix(Self.suffix) {
        let id = String(file.dropLast(Self.suffix.count))
        guard Identifier.isValid(id), found.count < ProfileStore.most else { continue }
        do throws(SOFAError) {
          let (stored, time) = try read(id, of: owner)
          let responses = try StoredProfile.responses(stored)
          found.append(
            (owner, StoredProfile(id: id, createTime: time, responses, stored, inMemory: false)))
        } catch {
          problems.append("\(url(id, of: owner).path): the stored profile \(error.description)")
        }
      }
    }
    return (found, problems)
  }

  private func names(in folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  /// Returns the stored form of a profile, and the time when it was stored.
  func read(_ id: String, of owner: ProfileOwner) throws(SOFAError) -> (stored: [UInt8], Date) {
    let largest = MeasuredResponses.largestSize + SHA256.size
    let path = url(id, of: owner).path
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    // A FIFO must not hold up the server, and a link must not lead elsewhere.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    guard descriptor >= 0 else { throw SOFAError("cannot be read") }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard attributes?[.type] as? FileAttributeType == .typeRegular,
      let changed = attributes?[.modificationDate] as? Date,
      let data = try? file.read(upToCount: largest + 1)
    else { throw SOFAError("is not a file that can be read") }
    return (Array(data), changed)
  }

  func write(_ stored: [UInt8], as id: String, of owner: ProfileOwner) throws {
    let place = folder.appendingPathComponent(owner.folder)
    try FileManager.default.createDirectory(
      at: place, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(stored).write(to: url(id, of: owner), options: .atomic)
  }

  func remove(_ id: String, of owner: ProfileOwner) throws {
    do {
      try FileManager.default.removeItem(at: url(id, of: owner))
    } catch CocoaError.fileNoSuchFile {
      // Somebody else has removed it.
    }
    // Fails unless it was the owner's last profile.
    rmdir(folder.appendingPathComponent(owner.folder).path)
  }

  private func url(_ id: String, of owner: ProfileOwner) -> URL {
    folder.appendingPathComponent(owner.folder).appendingPathComponent(id + Self.suffix)
  }
}

/// The reason why stored profiles cannot be used.
public struct ProfileStoreError: Error, CustomStringConvertible {
  public let description: String

  init(description: String) { self.description = description }

  init(systemErrorAt path: String) {
    description = "\(path): \(String(cString: strerror(errno)).lowercased())"
  }
}

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
