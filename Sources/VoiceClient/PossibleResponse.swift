internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// The limits of a response. A server that exceeds them is broken or hostile, and its connection counts as
/// lost: clients calculate with these numbers.
private enum Possible {
  /// The index of a sample: 11 years at 48 kHz.
  static let samples: ClosedRange<Int64> = -(1 << 44)...(1 << 44)
  static let delay = Duration.zero...Duration.seconds(10)
}

extension Anechoic_V1_ProcessResponse {
  /// Throws INTERNAL for numbers that no session can have reached.
  func check() throws(Status) {
    switch response {
    case .audio(let audio):
      try audio.processed.check()
      try audio.playback.check()
    case .event(let event): try checkIndex(event.microphoneSample)
    case .controlResult(let result): try checkIndex(result.appliedAtSample)
    case .started(let started):
      let delay = Duration(started.algorithmicDelay)
      guard Possible.delay.contains(delay) else {
        throw Status(.internal, "algorithmic_delay: \(delay) is not possible")
      }
      try checkIndex(started.resumed.microphoneSample)
      try checkIndex(started.resumed.processedSample)
    case .stats, nil: break
    }
  }
}

extension Anechoic_V1_AudioChunk {
  /// Throws INTERNAL for an index that no session can have reached.
  func check() throws(Status) { try checkIndex(firstSample) }
}

private func checkIndex(_ index: Int64) throws(Status) {
  guard Possible.samples.contains(index) else {
    throw Status(.internal, "the server sent the index \(index), which no session can have reached")
  }
}

extension Anechoic_V1_Started {
  /// The delay from the microphone to the processed output.
  var processingDelay: Duration { Duration(algorithmicDelay) }
}
