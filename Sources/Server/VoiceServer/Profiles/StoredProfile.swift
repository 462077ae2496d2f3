internal import Foundation
internal import LinuxSystem
internal import SpatialAudio

/// A profile that a client has uploaded.
struct StoredProfile: Sendable {
  let id: String
  let createTime: Date
  let directions: Int
  let length: Int
  /// The size of the stored form in bytes.
  let size: Int
  /// The SHA-256 digest of the responses, in hexadecimal digits.
  let digest: String
  /// The stored form, or nil if it is in a file.
  let contents: [UInt8]?

  /// Creates a profile of its stored form: the encoded responses and their digest.
  init(
    id: String, createTime: Date, _ responses: MeasuredResponses, _ stored: [UInt8], inMemory: Bool
  ) {
    self.id = id
    self.createTime = createTime
    directions = responses.directionCount
    length = responses.length
    size = stored.count
    digest = Self.digest(of: stored)
    contents = inMemory ? stored : nil
  }

  /// Returns the digest in a stored form, in hexadecimal digits.
  static func digest(of stored: [UInt8]) -> String {
    SHA256.hexadecimal(stored.suffix(SHA256.size))
  }

  /// Returns the stored form of encoded responses.
  static func stored(_ encoded: [UInt8]) -> [UInt8] { encoded + SHA256.digest(of: encoded) }

  /// Returns the responses of a stored form. Throws if it is damaged.
  static func responses(_ stored: [UInt8]) throws(SOFAError) -> MeasuredResponses {
    guard stored.count > SHA256.size else { throw SOFAError("is cut off") }
    let encoded = Array(stored.dropLast(SHA256.size))
    guard SHA256.digest(of: encoded).elementsEqual(stored.suffix(SHA256.size)) else {
      throw SOFAError("is damaged")
    }
    return try MeasuredResponses(encoded: encoded)
  }
}
