internal import Glibc
internal import LinuxSystem

/// The bytes of an accepted connection, with TLS or without. No function waits. For use on the listener's
/// thread only.
final class HTTPChannel {
  /// The result of reading.
  enum Received {
    case bytes([UInt8])
    case nothing
    case end
  }

  /// The bytes that are encrypted at once.
  private static let pieceSize = 16 << 10
  /// The answer to a client that speaks HTTP without TLS.
  private static let plaintextAnswer = HTTPResponse(
    "this address speaks HTTPS only; use https://\n", status: .badRequest)

  let descriptor: Int32
  private var tls: TLSStream?
  private let security: HTTPSecurity?
  /// The encrypted bytes that wait to be sent.
  private var waiting: [UInt8] = []
  /// The number of bytes of the owner that wait, encrypted.
  private var piece = 0
  private var hasFailed = false
  /// The first byte of the client.
  private var first: UInt8?
  /// Whether this direction ends as soon as nothing waits to be sent.
  private var endsSending = false

  /// Takes over a descriptor that does not block. The owner closes it.
  init(_ descriptor: Int32, _ security: HTTPSecurity?) {
    self.descriptor = descriptor
    self.security = security
    guard let security else { return }
    do {
      tls = try TLSStream.accepting(security.identity)
    } catch {
      fail(.refused(error.description))
    }
  }

  /// Whether requests can arrive: there is no TLS, or its handshake is complete.
  var isEstablished: Bool {
    if let isEstablished = tls?.isEstablished { isEstablished } else { !hasFailed }
  }

  /// Whether the connection has TLS.
  var isEncrypted: Bool { tls != nil }

  /// Whether bytes of TLS itself wait to be sent.
  var isWaiting: Bool { !waiting.isEmpty }

  /// Returns the bytes that have arrived.
  func receive() -> Received {
    guard flush() else { return lost() }
    // A client that does not read what TLS sends is not read either.
    guard !isWaiting, !hasFailed else { return hasFailed ? .end : .nothing }
    return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { return .nothing }
      guard count > 0 else { return lost() }
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      first = first ?? bytes.first
      return tls == nil ? .bytes(Array(bytes)) : decrypt(bytes)
    }
  }

  /// Records that the client has gone, as a failure of the handshake if that is not complete.
  private func lost() -> Received {
    if !isEstablished, !hasFailed { fail(.closed) }
    return .end
  }

  private func decrypt(_ bytes: UnsafeRawBufferPointer) -> Received {
    let wasEstablished = isEstablished
    do {
      let plain = try tls?.receive(bytes) ?? []
      waiting += tls?.popOutgoing() ?? []
      guard flush() else { return lost() }
      guard plain.isEmpty else { return .bytes(plain) }
      return tls?.isClosed == true ? .end : .nothing
    } catch {
      if wasEstablished {
        hasFailed = true
      } else {
        refuse()
        fail(.refused(error.description))
      }
      return .end
    }
  }

  /// Tells the client why the handshake failed: with the alert of TLS, or without TLS if the client has
  /// none.
  private func refuse() {
    let alert = tls?.popOutgoing() ?? []
    // A record of TLS does not begin with a letter, and a request of HTTP does.
    let isHTTP = first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) } ?? false
    waiting = isHTTP ? Self.plaintextAnswer.bytes() : alert
    _ = flush()
  }

  private func fail(_ failure: HTTPHandshakeFailure) {
    hasFailed = true
    security?.report(failure)
  }

  /// Sends bytes. Returns how many of them have left, or nil if the connection has failed. The bytes that
  /// have not left have to be given again.
  func send(_ bytes: ArraySlice<UInt8>) -> Int? {
    guard tls != nil else { return write(bytes) }
    if piece == 0 {
      let next = bytes.prefix(Self.pieceSize)
      guard (try? tls?.send(Array(next))) != nil else { return nil }
      piece = next.count
      waiting += tls?.popOutgoing() ?? []
    }
    guard flush() else { return nil }
    guard !isWaiting else { return 0 }
    defer { piece = 0 }
    return piece
  }

  /// Ends this direction of the connection.
  func endSending() {
    tls?.close()
    waiting += tls?.popOutgoing() ?? []
    endsSending = true
    _ = flush()
  }

  /// Tells that the connection ends for want of time or room, as a failure of the handshake if that is not
  /// complete.
  func expire() {
    if !isEstablished, !hasFailed { fail(.timeout) }
  }

  /// Gives up the encryption, for another owner of the descriptor.
  func takeEncryption() -> TLSStream? { tls.take() }

  /// Sends encrypted bytes that wait. Returns false if the connection has failed.
  func flush() -> Bool {
    while isWaiting {
      guard let count = write(waiting[...]) else { return false }
      guard count > 0 else { return true }
      waiting.removeFirst(count)
    }
    if endsSending {
      endsSending = false
      shutdown(descriptor, Int32(SHUT_WR))
    }
    return true
  }

  /// Returns the number of bytes that the system has taken, or nil if the connection has failed.
  private func write(_ bytes: ArraySlice<UInt8>) -> Int? {
    while true {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return 0 }
      return count > 0 ? count : nil
    }
  }
}
