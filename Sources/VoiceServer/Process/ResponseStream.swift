internal import AnechoicAPI
internal import GRPCTransport
internal import SessionConversions
internal import SwiftProtobuf
internal import VoiceSessions

/// The responses of a call, written one after another. On the call's thread only.
final class ResponseStream {
  private let call: ServerCall
  private let queue = OutputQueue()
  private var closing: Status?
  private var atEnd: () -> Void = {}
  private var isFinished = false
  /// When the write in flight began; nil when none is.
  private(set) var writingSince: ContinuousClock.Instant?

  init(_ call: ServerCall) { self.call = call }

  /// Messages that wait for the one in flight.
  var waiting: Int { queue.count }
  /// Chunks of audio among them.
  var waitingAudio: Int { queue.audioCount }

  /// Runs per chunk: allocates nothing in this code once the queue has grown to its size.
  func send(_ chunk: OutputChunk) {
    let response = AudioResponse(chunk)
    queue.push(.audio, size: response.size) { response.write(to: $0) }
    writeNext()
  }

  func send(_ response: Anechoic_V1_ProcessResponse) {
    guard let bytes: [UInt8] = try? response.serializedBytes() else { return }
    queue.push(.other, size: bytes.count) { $0.copyBytes(from: bytes) }
    writeNext()
  }

  func dropOldestAudio() { queue.dropOldestAudio() }

  /// Ends the call when all that waits has been sent, and runs `atEnd` just before.
  func finish(_ status: Status, atEnd: @escaping () -> Void) {
    guard closing == nil else { return }
    closing = status
    self.atEnd = atEnd
    writeNext()
  }

  /// Sends nothing more: nobody hears it.
  func stop() { isFinished = true }

  func writeCompleted() {
    writingSince = nil
    writeNext()
  }

  private func writeNext() {
    guard writingSince == nil, !isFinished else { return }
    let wrote = queue.pop { call.write($0) }
    if wrote {
      writingSince = .now
    } else if let closing {
      isFinished = true
      atEnd()
      call.finish(closing)
    }
  }
}
