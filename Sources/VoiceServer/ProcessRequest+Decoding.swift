internal import AnechoicAPI
internal import Foundation
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

extension Anechoic_V1_ProcessRequest {
  static func decoded(_ message: UnsafeRawBufferPointer) throws(Status) -> Self {
    do {
      return try Anechoic_V1_ProcessRequest(serializedBytes: Data(message))
    } catch {
      throw .malformedRequest
    }
  }

  /// The field of the request that is set.
  var fieldName: String {
    switch request {
    case .audio: "audio"
    case .start: "start"
    case .playbackReport: "playback_report"
    case .control: "control"
    case .deviceReport: "device_report"
    case nil: "request"
    }
  }
}

extension Anechoic_V1_Start {
  /// Throws for a pacing that is not known.
  func checkedPacing() throws(InvalidField) -> Anechoic_V1_Pacing {
    switch pacing {
    case .unspecified, .realTime: return .realTime
    case .mediaClock: return .mediaClock
    case .UNRECOGNIZED(let value):
      throw InvalidField("start.pacing", "\(value) is no known pacing")
    }
  }
}

extension Anechoic_V1_AudioInput {
  /// Lends the audio in the form that the frame path takes. Throws for inputs that are not offered.
  func withRequest(_ body: (AudioRequest) throws(Status) -> Void) throws(Status) {
    if hasFarEnd { throw Status(.unannounced("far_end")) }
    if hasOtherAudio { throw Status(.unannounced("other_audio")) }
    let (microphoneBytes, referenceBytes) = (Array(microphone.samples), Array(reference.samples))
    let result: Result<Void, Status> = microphoneBytes.withUnsafeBytes { microphoneBytes in
      referenceBytes.withUnsafeBytes { referenceBytes in
        let request = AudioRequest(
          microphone: hasMicrophone ? .init(microphone, samples: microphoneBytes) : nil,
          reference: hasReference ? .init(reference, samples: referenceBytes) : nil)
        return Result { () throws(Status) in try body(request) }
      }
    }
    try result.get()
  }
}

extension InvalidField {
  static func unannounced(_ input: String) -> InvalidField {
    InvalidField("audio.\(input)", "was not announced in start.inputs")
  }
}
