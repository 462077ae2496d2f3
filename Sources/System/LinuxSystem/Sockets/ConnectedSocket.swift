internal import Glibc

/// A TCP connection. No function waits, except `dialing`.
///
/// Bytes that the other side does not read are kept up to a limit, which the caller checks.
public struct ConnectedSocket: ~Copyable {
  public let descriptor: Int32
  private var outgoing: [UInt8] = []
  /// The time after which a silent peer that does not confirm keepalive probes is given up, in seconds.
  private static let silence: Int32 = 30

  /// Takes over a descriptor that does not block.
  public init(_ descriptor: Int32) {
    self.descriptor = descriptor
    set(IPPROTO_TCP, TCP_NODELAY, 1)
    set(SOL_SOCKET, SO_KEEPALIVE, 1)
    set(IPPROTO_TCP, TCP_KEEPIDLE, Self.silence)
    set(IPPROTO_TCP, TCP_KEEPINTVL, Self.silence / 3)
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, Self.silence * 1000)
  }

  deinit { Glibc.close(descriptor) }

  private func set(_ level: some BinaryInteger, _ option: Int32, _ value: Int32) {
    Self.set(descriptor, level, option, value)
  }

  private static func set(
    _ descriptor: Int32, _ level: some BinaryInteger, _ option: Int32, _ value: Int32
  ) {
    var value = value
    setsockopt(
      descriptor, Int32(level), option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  /// Makes a connection send at once, and gives it buffers of a size in bytes, which the system doubles.
  /// Of what is sent, at most about `unsent` bytes wait in the system for a slow network.
  public static func hurry(_ descriptor: Int32, buffer: Int32, unsent: Int32) {
    set(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
    set(descriptor, IPPROTO_TCP, TCP_NOTSENT_LOWAT, unsent)
    set(descriptor, SOL_SOCKET, SO_SNDBUF, buffer)
    set(descriptor, SOL_SOCKET, SO_RCVBUF, buffer)
  }

  /// The error of a connection as a number of the system, or 0.
  static func error(of descriptor: Int32) -> Int32 {
    var error: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
    return error
  }

  /// The number of bytes that wait to be sent.
  public var waitingBytes: Int { outgoing.count }

  /// Appends the bytes that have arrived, at most 64 KiB, to `bytes`. Returns false once the other
  /// side has closed the connection, or the connection is lost.
  public func receive(into bytes: inout [UInt8]) -> Bool {
    Self.receive(from: descriptor, into: &bytes)
  }

  /// Appends the bytes that have arrived at a descriptor, as `receive(into:)` does.
  public static func receive(from descriptor: Int32, into bytes: inout [UInt8]) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { bytes += buffer[..<count] }
      return count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    }
  }

  /// Ends this direction of the connection after the bytes that were sent.
  public func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Sends bytes after those that wait.
  public mutating func send(_ bytes: [UInt8]) {
    outgoing += bytes
    flush()
  }

  /// Appends the bytes that have arrived to `bytes`, through TLS if there is any, and sends what TLS answers.
  /// Returns false once the other side has closed the connection, or the connection is lost.
  public mutating func receive(
    into bytes: inout [UInt8], through tls: inout TLSStream?
  ) throws(TLSError) -> Bool {
    guard tls != nil else { return receive(into: &bytes) }
    var encrypted: [UInt8] = []
    let isOpen = receive(into: &encrypted)
    var failure: TLSError?
    encrypted.withUnsafeBytes { encrypted in
      do throws(TLSError) {
        if let plain = try tls?.receive(encrypted) { bytes += plain }
      } catch { failure = error }
    }
    // After a failure, this is the alert that tells why.
    send(tls?.popOutgoing() ?? [])
    if let failure { throw failure }
    return isOpen
  }

  /// Sends bytes after those that wait, through TLS if there is any.
  public mutating func send(
    _ bytes: [UInt8], through tls: inout TLSStream?
  ) throws(TLSError) {
    try tls?.send(bytes)
    send(tls?.popOutgoing() ?? bytes)
  }

  /// Sends bytes that wait, as many as the connection takes. The loss of a connection shows when
  /// receiving; what waits is dropped then.
  public mutating func flush() {
    while !outgoing.isEmpty {
      let count = outgoing.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        if errno != EAGAIN { outgoing = [] }
        return
      }
      outgoing.removeFirst(count)
    }
  }
}
