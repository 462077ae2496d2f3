import Foundation

/// A client of HTTP that sends any bytes, for attacks.
public final class RawHTTPClient {
  /// The reason why no connection was made.
  public struct HTTPError: Error {}

  private let descriptor: Int32

  public static var openDescriptors: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
  }

  /// Connects to 127.0.0.1. Only the port of the address counts. `receiveBuffer` is the size in bytes
  /// of what the system takes before it is read, unless the system chooses.
  public init(_ address: String, receiveBuffer: Int32? = nil) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var receiveBuffer {
      setsockopt(
        descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
    }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = (address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
    name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &name) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw HTTPError() }
  }

  deinit { close(descriptor) }

  public func send(_ text: String) { send(Array(text.utf8)) }

  public func send(_ content: [UInt8]) {
    var bytes = content[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Returns what has come next, or "" at the end of the connection.
  public func next() -> String { String(decoding: receive(), as: UTF8.self) }

  /// Returns what comes until the server closes the connection.
  public func rest() -> String {
    var bytes: [UInt8] = []
    while true {
      let more = receive()
      guard !more.isEmpty else { return String(decoding: bytes, as: UTF8.self) }
      bytes += more
    }
  }

  /// Returns the bytes that have come next, or none at the end of the connection.
  public func receive() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  /// Has `receive` return nothing after so many seconds without bytes.
  public func wait(atMost seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Closes the connection so that the server's next write fails. The number of the descriptor stays
  /// taken: another thread may still send, and the next connection must not get its bytes.
  public func reset() {
    var option = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    let unconnected = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    dup2(unconnected, descriptor)
    close(unconnected)
  }

  public static func exchange(_ address: String, _ request: String) throws -> String {
    let client = try RawHTTPClient(address)
    client.send(request)
    return client.rest()
  }
}
