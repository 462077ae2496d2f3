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
      throw .notA("ProcessRequest")
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
  /// Throws for labels that are too many or too long.
  func checkedLabels() throws(InvalidField) -> [String: String] {
    try SessionLabels.check(labels, path: "start.labels")
  }
}

extension Anechoic_V1_AudioInput {
  /// Lends the audio in the form that the frame path takes.
  func withRequest(_ body: (AudioRequest) throws(Status) -> Void) throws(Status) {
    let inputs = [microphone, reference, farEnd, otherAudio]
    let bytes = inputs.flatMap { Array($0.samples) }
    let result: Result<Void, Status> = bytes.withUnsafeBytes { bytes in
      var offset = 0
      let chunks = inputs.map { input in
        defer { offset += input.samples.count }
        return AudioRequest.Chunk(
          input,
          samples: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + input.samples.count]))
      }
      var request = AudioRequest()
      if hasMicrophone { request.microphone = chunks[0] }
      if hasReference { request.reference = chunks[1] }
      if hasFarEnd { request.farEnd = chunks[2] }
      if hasOtherAudio { request.otherAudio = chunks[3] }
      return Result { () throws(Status) in try body(request) }
    }
    try result.get()
  }
}

extension InvalidField {
  static func unannounced(_ input: String) -> InvalidField {
    InvalidField("audio.\(input)", "was not announced in start.inputs")
  }
}
