public import Foundation

/// A network of its own for each of several machines, joined by a switch to which a server is connected. The
/// network of this machine does not change. Needs root.
public final class NetworkNamespaces: Sendable {
  /// The reason why there are no namespaces.
  public struct NamespaceError: Error, CustomStringConvertible {
    public let description: String
  }

  /// The address of the server.
  public static let serverAddress = "10.77.0.1"

  private let server: String
  private let machines: [String]

  /// Whether this process may make namespaces.
  public static var canBeMade: Bool {
    guard geteuid() == 0, let one = try? NetworkNamespaces(machineCount: 1) else { return false }
    one.remove()
    return true
  }

  /// Creates the switch, the server's namespace, and those of the machines.
  public init(machineCount: Int) throws(NamespaceError) {
    let name = "anechoic-\(getpid())-\(UInt16.random(in: 0 ... .max))"
    let server = "\(name)-server"
    self.server = server
    machines = (1...machineCount).map { "\(name)-\($0)" }
    do {
      try Self.ip("netns add \(server)")
      try Self.ip("-n \(server) link add br0 type bridge")
      try Self.ip("-n \(server) addr add \(Self.serverAddress)/24 dev br0")
      for device in ["lo", "br0"] { try Self.ip("-n \(server) link set \(device) up") }
      for (index, machine) in machines.enumerated() {
        try Self.ip("netns add \(machine)")
        try Self.ip("-n \(server) link add v\(index) type veth peer name eth0 netns \(machine)")
        try Self.ip("-n \(server) link set v\(index) master br0 up")
        try Self.ip("-n \(machine) addr add 10.77.0.\(index + 11)/24 dev eth0")
        for device in ["lo", "eth0"] { try Self.ip("-n \(machine) link set \(device) up") }
      }
    } catch {
      remove()
      throw error
    }
  }

  /// Makes a process run in the namespace of a machine, or of the server if `machine` is nil. Call this
  /// before the process runs.
  public func place(_ process: Process, on machine: Int?) {
    let path = process.executableURL?.path ?? ""
    process.executableURL = Self.program
    let namespace = machine.map { machines[$0] } ?? server
    process.arguments = ["netns", "exec", namespace, path] + (process.arguments ?? [])
  }

  public func remove() {
    for name in machines + [server] { try? Self.ip("netns del \(name)") }
  }

  private static let program = URL(filePath: "/usr/sbin/ip")

  private static func ip(_ arguments: String) throws(NamespaceError) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments.split(separator: " ").map { String($0) }
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch {
      throw NamespaceError(description: "ip \(arguments): \(error)")
    }
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw NamespaceError(description: "ip \(arguments): exit code \(process.terminationStatus)")
    }
  }
}
