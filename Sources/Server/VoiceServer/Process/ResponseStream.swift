internal import AnechoicAPI
internal import GRPCTransport
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceSessions

/// The responses of a `Process` call, sent one after another. For use on the call's thread only.
final class ResponseStream {
  private let messages: OutgoingMessages

  init(_ messages: OutgoingMessages) { self.messages = messages }

  /// The number of responses that wait behind the one in flight.
  var waiting: Int { messages.waiting }

  /// The number of chunks of audio among the responses that wait.
  var waitingAudio: Int { messages.waitingDroppable }

  /// Whether half of the limit on unread responses is used.
  var isHalfFull: Bool { messages.isHalfFull }

  /// Sends a chunk of audio. Runs per chunk: this code allocates nothing once the queue has grown
  /// to its full size.
  func send(_ chunk: OutputChunk) {
    let response = AudioResponse(chunk)
    messages.send(size: response.size, isDroppable: true) { response.write(to: $0) }
  }

  /// Sends a serialized chunk of audio again.
  func send(audio bytes: UnsafeRawBufferPointer) {
    messages.send(size: bytes.count, isDroppable: true) { $0.copyMemory(from: bytes) }
  }

  /// Sends any other response.
  func send(_ response: Anechoic_V1_ProcessResponse) {
    guard let bytes: [UInt8] = try? response.serializedBytes() else { return }
    messages.send(size: bytes.count) { $0.copyBytes(from: bytes) }
  }

  /// Drops the oldest chunk of audio that waits.
  func dropOldestAudio() { messages.dropOldest() }
}
