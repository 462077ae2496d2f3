internal import AnechoicAPI
internal import SwiftProtobuf

/// The caller's indexes and those of the present session, which differ after a restart and after a
/// gap that was too long to be concealed.
struct SessionTimeline {
  /// The caller's microphone index of the session's sample 0.
  private(set) var base: Int64 = 0
  /// The same for what belongs to the session's samples before one, from before a gap.
  private var former: (base: Int64, end: Int64)?
  private let rates: Rates

  private struct Rates {
    var microphone: Int64
    var reference: Int64
    var farEnd: Int64
    var otherAudio: Int64
    var farEnds: [String: Int64]
    var processed: Int64
    var playback: Int64
    var recognizer: Int64
    var raw: Int64
  }

  init(_ started: Anechoic_V1_Started) {
    func rate(_ format: Anechoic_V1_AudioFormat) -> Int64 { max(1, Int64(format.sampleRateHz)) }
    rates = Rates(
      microphone: rate(started.inputs.microphone), reference: rate(started.inputs.reference),
      farEnd: rate(started.inputs.farEnd), otherAudio: rate(started.inputs.otherAudio),
      farEnds: Dictionary(
        started.inputs.farEnds.map { ($0.farEndID, rate($0.format)) }, uniquingKeysWith: { $1 }),
      processed: rate(started.outputs.processed), playback: rate(started.outputs.playback),
      recognizer: rate(started.outputs.recognizer), raw: rate(started.outputs.raw))
  }

  /// Changes the base for the session's microphone samples from one on.
  mutating func move(to base: Int64, from sample: Int64 = 0) {
    former = sample > 0 ? (self.base, sample) : nil
    self.base = base
  }

  /// Returns the microphone index, as the caller counts, up to which the processed output has come.
  func microphoneIndex(ofProcessed samples: Int64) -> Int64 {
    let sample = samples * rates.microphone / rates.processed
    return base(of: sample - 1) + sample
  }

  /// Returns the base of a microphone sample of the session.
  private func base(of sample: Int64) -> Int64 {
    if let former, sample < former.end { former.base } else { base }
  }

  private func base(at rate: Int64) -> Int64 { base * rate / rates.microphone }

  /// Converts a request from the caller's indexes to the session's. A chunk from before the session
  /// is left out.
  func toSession(_ request: Anechoic_V1_ProcessRequest) -> Anechoic_V1_ProcessRequest {
    guard base != 0 else { return request }
    var request = request
    switch request.request {
    case .audio(var audio):
      if audio.hasMicrophone, !move(&audio.microphone, rates.microphone) { audio.clearMicrophone() }
      if audio.hasReference, !move(&audio.reference, rates.reference) { audio.clearReference() }
      if audio.hasFarEnd, !move(&audio.farEnd, rates.farEnd) { audio.clearFarEnd() }
      if audio.hasOtherAudio, !move(&audio.otherAudio, rates.otherAudio) { audio.clearOtherAudio() }
      audio.farEnds = audio.farEnds.compactMap { farEnd in
        var farEnd = farEnd
        return move(&farEnd.audio, rates.farEnds[farEnd.farEndID] ?? 1) ? farEnd : nil
      }
      request.audio = audio
    case .control(let control):
      if control.hasAtSample { request.control.atSample = max(0, control.atSample - base) }
    case .playbackReport(let report):
      request.playbackReport.firstSample = report.firstSample - base(at: rates.playback)
    case .start, .deviceReport, .headPose, nil: break
    }
    return request
  }

  private func move(_ chunk: inout Anechoic_V1_AudioChunk, _ rate: Int64) -> Bool {
    chunk.firstSample -= base(at: rate)
    return chunk.firstSample >= 0
  }

  /// Converts a response from the session's indexes to the caller's.
  func toCaller(_ response: Anechoic_V1_ProcessResponse) -> Anechoic_V1_ProcessResponse {
    guard base != 0 else { return response }
    var response = response
    switch response.response {
    case .audio(var audio):
      place(&audio.processed, rates.processed)
      if audio.hasPlayback { place(&audio.playback, rates.playback) }
      if audio.hasRecognizer { place(&audio.recognizer, rates.recognizer) }
      if audio.hasRaw { place(&audio.raw, rates.raw) }
      response.audio = audio
    case .event(var event):
      event.move(by: base(of: event.microphoneSample))
      response.event = event
    case .controlResult(let result):
      response.controlResult.appliedAtSample &+= base(of: result.appliedAtSample)
    case .started, .stats, .echoPath, .voiceprint, nil: break
    }
    return response
  }

  /// Gives a chunk of an output its place as the caller counts.
  private func place(_ chunk: inout Anechoic_V1_AudioChunk, _ rate: Int64) {
    let sample =
      chunk.firstSample.multipliedReportingOverflow(by: rates.microphone).partialValue / rate
    chunk.firstSample &+= base(of: sample) * rate / rates.microphone
  }
}
