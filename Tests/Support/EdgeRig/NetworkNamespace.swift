internal import Foundation

/// A network namespace: a machine of its own as far as the network is concerned, with one cable to this
/// machine. It needs root and the program `ip`.
public final class NetworkNamespace: Sendable {
  public struct NamespaceError: Error, CustomStringConvertible {
    public let description: String
  }

  /// The reason why this machine can have none, or nil if it can.
  public static let problem: String? = {
    do { _ = try NetworkNamespace() } catch { return "\(error)" }
    return nil
  }()

  /// The address of this machine at the end of the cable.
  public let hostAddress: String
  private let name: String

  public init() throws(NamespaceError) {
    let number = UInt32.random(in: 0..<1 << 20)
    name = "anechoic-\(number)"
    let (here, there) = ("an\(number)a", "an\(number)b")
    // Of 198.18.0.0/15, which is reserved for tests of networks.
    let network = "198.18.\(number >> 8 & 0xff)"
    let place = number & 0x3f * 4
    hostAddress = "\(network).\(place + 1)"
    try Self.ip("netns", "add", name)
    do throws(NamespaceError) {
      try Self.ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
      try Self.ip("addr", "add", "\(hostAddress)/30", "dev", here)
      try Self.ip("link", "set", here, "up")
      try Self.ip("-n", name, "addr", "add", "\(network).\(place + 2)/30", "dev", there)
      try Self.ip("-n", name, "link", "set", there, "up")
    } catch {
      try? Self.ip("netns", "del", name)
      throw error
    }
  }

  deinit { try? Self.ip("netns", "del", name) }

  /// The start of a command that runs a program in the namespace.
  var prefix: [String] { [Self.program, "netns", "exec", name] }

  private static let program = "/usr/sbin/ip"

  private static func ip(_ arguments: String...) throws(NamespaceError) {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { throw NamespaceError(description: "there is no \(program)") }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw NamespaceError(description: "ip \(arguments.joined(separator: " ")) failed")
    }
  }
}
