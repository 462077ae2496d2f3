import AnechoicAPI
import Dispatch
import Foundation
import Glibc
import GRPCTransport
import SwiftProtobuf
import Testing

/// A client of one call in plain HTTP/2 that reads nothing until it is told to.
///
/// libgrpc's own client accepts megabytes that the program has not requested. This client grants
/// only the initial window of HTTP/2, 65,535 bytes. Everything that it sends must fit into such a
/// window too.
final class StubbornClient {
  private static let headers: UInt8 = 1
  private static let data: UInt8 = 0
  private static let windowUpdate: UInt8 = 8
  private static let endStream: UInt8 = 1

  /// The result of a call.
  struct Answer: Sendable {
    var messages: [Data] = []
    /// The trailers as they came. libgrpc does not compress the values.
    var trailers = ""

    /// The result of a `Process` call.
    var recording: Recording {
      get throws {
        try messages.reduce(into: Recording()) {
          $0.record(try Anechoic_V1_ProcessResponse(serializedBytes: $1))
        }
      }
    }
  }

  private let handle: Int32

  /// Starts a `Process` call, or a call of another method. `clientName` may have any bytes, unlike
  /// the headers of libgrpc's client.
  init(
    _ server: TestServer,
    _ method: GRPCTransport.Method = Method(service: RPC.voiceProcessing, name: RPC.process),
    window: UInt32? = nil, clientName: [UInt8]? = nil
  ) throws {
    let port = try #require(server.address.split(separator: ":").last.flatMap { UInt16($0) })
    handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    try write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    // SETTINGS: the defaults, except for the initial window of each call.
    try writeFrame(4, stream: 0, window.map { [0, 4] + Self.bytes($0) } ?? [])
    // POST and http by their index, :path and :authority with an indexed name.
    var block: [UInt8] = [0x83, 0x86]
    block += [0x04] + Self.text(method.path)
    block += [0x01] + Self.text(server.address)
    for (name, value) in [("te", "trailers"), ("content-type", "application/grpc")] {
      block += [0x00] + Self.text(name) + Self.text(value)
    }
    if let clientName {
      block += [0x00] + Self.text(RPC.clientName) + [UInt8(clientName.count)] + clientName
    }
    try writeFrame(Self.headers, flags: 4, stream: 1, block)
  }

  deinit { close(handle) }

  func send(_ requests: [Anechoic_V1_ProcessRequest], halfClosing: Bool) throws {
    try send(requests.map { try $0.serializedBytes() }, halfClosing: halfClosing)
  }

  func send(_ messages: [[UInt8]], halfClosing: Bool) throws {
    var rest = try Self.bytes(of: messages)
    while !rest.isEmpty { try send(16_384, of: &rest, halfClosing: halfClosing) }
  }

  /// Sends messages and ends the input, in pieces of the sizes that `nextPiece` returns, up to 16,384
  /// bytes.
  func send(_ messages: [[UInt8]], nextPiece: () async throws -> Int) async throws {
    var rest = try Self.bytes(of: messages)
    while !rest.isEmpty { try await send(nextPiece(), of: &rest, halfClosing: true) }
  }

  private static func bytes(of messages: [[UInt8]]) throws -> ArraySlice<UInt8> {
    let bytes = messages.reduce(into: [UInt8]()) { bytes, message in
      bytes += [0] + Self.bytes(UInt32(message.count)) + message
    }
    try #require(bytes.count < 65_535)
    return bytes[...]
  }

  private func send(_ size: Int, of rest: inout ArraySlice<UInt8>, halfClosing: Bool) throws {
    let part = rest.prefix(size)
    rest = rest.dropFirst(part.count)
    let isLast = halfClosing && rest.isEmpty
    try writeFrame(Self.data, flags: isLast ? Self.endStream : 0, stream: 1, Array(part))
  }

  /// Sends a message without its last byte.
  func sendPart(of message: [UInt8]) throws {
    let bytes = [0] + Self.bytes(UInt32(message.count)) + message.dropLast()
    try writeFrame(Self.data, stream: 1, bytes)
  }

  /// Waits until the server answers the call. It needs no grant for the headers of its answer.
  func waitForHeaders() async throws { try await skip(to: Self.headers) }

  /// Waits for the server's first data, without granting more.
  func waitForData() async throws { try await skip(to: Self.data) }

  private func skip(to type: UInt8) async throws {
    let handle = handle
    try await Self.off { while try Self.readFrame(handle).head[3] != type {} }
  }

  /// Grants everything that the server wants to send, and reads to the end of the call.
  func read() async throws -> Answer {
    for stream in [UInt32(0), 1] {
      try writeFrame(Self.windowUpdate, stream: stream, Self.bytes(1 << 30))
    }
    let handle = handle
    return try await Self.off { try Self.readToEnd(handle) }
  }

  /// Runs the body on a thread of its own, because threads of async functions must not block.
  private static func off<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Swift.Result { try body() })
      }
    }
  }

  private static func readToEnd(_ handle: Int32) throws -> Answer {
    var bytes: [UInt8] = []
    while true {
      let (head, payload) = try readFrame(handle)
      if head[3] == data { bytes += payload }
      guard head[3] == headers, head[4] & endStream != 0 else { continue }
      return Answer(
        messages: messages(bytes), trailers: String(decoding: payload, as: UTF8.self))
    }
  }

  private static func readFrame(_ handle: Int32) throws -> (head: [UInt8], payload: [UInt8]) {
    let head = try read(9, from: handle)
    return (head, try read(head[0..<3].reduce(0) { $0 << 8 | Int($1) }, from: handle))
  }

  private static func messages(_ bytes: [UInt8]) -> [Data] {
    var messages: [Data] = []
    var rest = bytes[...]
    while rest.count >= 5 {
      let size = rest.dropFirst().prefix(4).reduce(0) { $0 << 8 | Int($1) }
      let message = rest.dropFirst(5).prefix(size)
      guard message.count == size else { break }
      messages.append(Data(message))
      rest = rest.dropFirst(5 + size)
    }
    return messages
  }

  private func writeFrame(
    _ type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]
  ) throws {
    var frame = Array(Self.bytes(UInt32(payload.count)).dropFirst())
    frame += [type, flags] + Self.bytes(stream)
    try write(frame + payload)
  }

  private func write(_ bytes: [UInt8]) throws {
    let written = bytes.withUnsafeBytes {
      Glibc.send(handle, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    try #require(written == bytes.count)
  }

  private static func read(_ count: Int, from handle: Int32) throws -> [UInt8] {
    guard count > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = recv(handle, &bytes, count, Int32(MSG_WAITALL))
    try #require(got == count, "the connection ended")
    return bytes
  }

  private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
