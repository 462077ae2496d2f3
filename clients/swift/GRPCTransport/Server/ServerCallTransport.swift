internal import CGRPC

/// The connection below a `ServerCall`: a call of libgrpc, or a connection of another protocol. For
/// use on the call's thread only.
///
/// `ServerCall` never asks for a second read or write before the first has completed, and asks for
/// nothing after `finish` or `abort`. The transport reports to `ServerCall` what happens, but never
/// during these functions.
package protocol ServerCallTransport {
  /// Asks for the next message. Returns whether the read was started. Runs per frame.
  func read() -> Bool
  /// Sends a copy of a message. Returns whether the write was started. Runs per frame.
  func write(_ message: UnsafeRawBufferPointer) -> Bool
  /// Ends the call with a status. Returns whether the status will be sent.
  func finish(_ status: Status, _ trailers: Metadata) -> Bool
  /// Ends the call at once, for a client that does not read.
  func abort(_ status: Status)
  /// Adds headers that are sent before the first message.
  func addInitialMetadata(_ metadata: Metadata)
  /// The headers that the client sent.
  var metadata: Metadata { get }
  /// The client's address, such as `ipv4:127.0.0.1:40112`.
  var peer: String { get }
  /// The properties that the transport has verified about the client.
  var peerProperties: [PeerProperty] { get }
  /// The time left until the client's deadline. Nil if the client set no deadline.
  var timeLeft: Duration? { get }
}

/// A call of libgrpc.
struct LibraryCall: ServerCallTransport {
  let call: OpaquePointer

  func read() -> Bool { cgrpc_server_call_read(call) }

  func write(_ message: UnsafeRawBufferPointer) -> Bool {
    cgrpc_server_call_write(call, message.c)
  }

  func finish(_ status: Status, _ trailers: Metadata) -> Bool {
    status.withC { status in
      trailers.withC { cgrpc_server_call_finish(call, status, $0) }
    }
  }

  func abort(_ status: Status) { status.withC { cgrpc_server_call_abort(call, $0) } }

  func addInitialMetadata(_ metadata: Metadata) {
    metadata.withC { metadata in
      for entry in UnsafeBufferPointer(start: metadata.start, count: metadata.count) {
        cgrpc_server_call_add_initial_metadata(call, entry)
      }
    }
  }

  var metadata: Metadata {
    var metadata = Metadata()
    withUnsafeMutablePointer(to: &metadata) { metadata in
      cgrpc_server_call_visit_metadata(call, metadata) { context, entry in
        context?.assumingMemoryBound(to: Metadata.self).pointee.append(entry)
      }
    }
    return metadata
  }

  var peer: String {
    var peer = ""
    withUnsafeMutablePointer(to: &peer) { peer in
      cgrpc_server_call_peer(call, peer) { context, text in
        context?.assumingMemoryBound(to: String.self).pointee = String(text)
      }
    }
    return peer
  }

  var peerProperties: [PeerProperty] {
    var properties: [PeerProperty] = []
    withUnsafeMutablePointer(to: &properties) { properties in
      cgrpc_server_call_visit_peer_properties(call, properties) { context, entry in
        context?.assumingMemoryBound(to: [PeerProperty].self).pointee.append(
          PeerProperty(name: String(entry.key), value: String(entry.value)))
      }
    }
    return properties
  }

  var timeLeft: Duration? {
    let nanoseconds = cgrpc_server_call_time_left_ns(call)
    return nanoseconds == Int64.max ? nil : .nanoseconds(nanoseconds)
  }
}
