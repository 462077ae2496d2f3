internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf

/// The limits of a response. A server that exceeds them is broken or hostile, and its connection counts as
/// lost: clients calculate with these numbers.
private enum Possible {
  /// The index of a sample: 11 years at 48 kHz.
  static let samples: ClosedRange<Int64> = -(1 << 44)...(1 << 44)
  static let delay = Duration.zero...Duration.seconds(1)
  /// The rates of a stream in Hz. 0 for one that does not exist.
  static let rates: ClosedRange<UInt32> = 0...192_000
  static let longestName = 100
}

extension Anechoic_V1_ProcessResponse {
  /// Throws INTERNAL for numbers that no session can have reached.
  func check() throws(Status) {
    switch response {
    case .audio(let audio):
      try audio.processed.check()
      try audio.playback.check()
      try audio.recognizer.check()
      try audio.raw.check()
    case .event(let event): try checkIndex(event.microphoneSample)
    case .controlResult(let result): try checkIndex(result.appliedAtSample)
    case .started(let started):
      for delay in [started.algorithmicDelay, started.recognizerDelay, started.rawDelay] {
        guard Possible.delay.contains(Duration(delay)) else {
          throw Status(.internal, "a delay of \(Duration(delay)) is not possible")
        }
      }
      let formats = [
        started.inputs.microphone, started.inputs.reference, started.inputs.farEnd,
        started.inputs.otherAudio, started.outputs.processed, started.outputs.playback,
        started.outputs.recognizer, started.outputs.raw,
      ]
      for format in formats + started.inputs.farEnds.map(\.format)
      where !Possible.rates.contains(format.sampleRateHz) {
        throw Status(.internal, "sample_rate_hz: \(format.sampleRateHz) is not possible")
      }
      // Programs log the name.
      let isName = started.session.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      guard isName, started.session.utf8.count <= Possible.longestName else {
        throw Status(.internal, "session: this is not the name of a session")
      }
      try checkIndex(started.resumed.microphoneSample)
      try checkIndex(started.resumed.processedSample)
    case .stats, .echoPath, .voiceprint, nil: break
    }
  }
}

extension Anechoic_V1_Started {
  /// Throws INTERNAL if the processed audio has another format than the start asks for.
  func check(answering start: Anechoic_V1_Start) throws(Status) {
    guard start.outputs.hasProcessed else { return }
    let (asked, given) = (start.outputs.processed, outputs.processed)
    guard asked.encoding == given.encoding || asked.encoding == .unspecified,
      asked.sampleRateHz == given.sampleRateHz || asked.sampleRateHz == 0,
      asked.channelCount == given.channelCount || asked.channelCount == 0
    else { throw Status(.internal, "outputs.processed: the server gives another format") }
  }

  /// Throws INTERNAL if the session goes on with a sample of the microphone that cannot have
  /// arrived. `sent` is the end of the audio that was sent, and `asked` the sample at which the
  /// client asked to continue.
  func checkResumption(sent: Int64, asked: Int64) throws(Status) {
    guard (0...max(sent, asked, 0)).contains(resumed.microphoneSample) else {
      throw Status(
        .internal, "resumed.microphone_sample: \(resumed.microphoneSample) has not been sent")
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
