internal import Foundation

/// The socket of a service manager that takes the messages of a service.
public final class ServiceManagerSocket {
  /// The value of NOTIFY_SOCKET.
  public let name: String
  private let descriptor: Int32

  /// Creates a socket with a path, or with an abstract name. Returns nil if that fails.
  public init?(isAbstract: Bool = false) {
    let suffix = "anechoic-notify-\(UUID().uuidString.prefix(8))"
    name = isAbstract ? "@\(suffix)" : "/tmp/\(suffix)"
    let path = isAbstract ? [0] + Array(suffix.utf8) : Array(name.utf8)
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) == 0 }
    }
    guard isBound else { return nil }
  }

  deinit {
    close(descriptor)
    if name.hasPrefix("/") { unlink(name) }
  }

  /// Returns the next message, or nil if there is none now.
  public func next() -> String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
  }

  /// Waits for a message with a beginning, for 20 s at most. Returns the messages until then.
  public func messages(until beginning: String) async throws -> [String] {
    var messages: [String] = []
    let limit = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < limit {
      guard let message = next() else {
        try await Task.sleep(for: .milliseconds(10))
        continue
      }
      messages.append(message)
      if message.hasPrefix(beginning) { break }
    }
    return messages
  }
}
