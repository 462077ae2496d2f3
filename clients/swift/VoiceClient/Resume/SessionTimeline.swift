internal import AnechoicAPI
internal import SwiftProtobuf

/// The caller's indexes and those of the present session, which differ after a restart and after a
/// gap that was too long to be concealed.
struct SessionTimeline {
  /// The caller's microphone index of the session's sample 0.
  var base: Int64 = 0
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

  /// Returns the microphone index, as the caller counts, up to which the processed output has come.
  func microphoneIndex(ofProcessed samples: Int64) -> Int64 {
    base + samples * rates.microphone / rates.processed
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
    case .audio:
      response.audio.processed.firstSample += base(at: rates.processed)
      if response.audio.hasPlayback {
        response.audio.playback.firstSample += base(at: rates.playback)
      }
      if response.audio.hasRecognizer {
        response.audio.recognizer.firstSample += base(at: rates.recognizer)
      }
      if response.audio.hasRaw { response.audio.raw.firstSample += base(at: rates.raw) }
    case .event: response.event.microphoneSample += base
    case .controlResult: response.controlResult.appliedAtSample += base
    case .started, .stats, .echoPath, .voiceprint, nil: break
    }
    return response
  }
}
