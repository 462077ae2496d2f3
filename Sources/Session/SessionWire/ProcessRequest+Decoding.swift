public import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

extension Anechoic_V1_ProcessRequest {
  /// Throws if a message is too large to be decoded.
  public static func checkSize(_ message: UnsafeRawBufferPointer) throws(RequestError) {
    guard RequestSize.isDecodable(message) else {
      let response = RequestSize.responseSize(message)
      guard response <= RequestSize.largestResponse else {
        throw .invalid(
          InvalidFieldError(
            "start.echo_path_hint.response",
            "has \(response) bytes; at most \(RequestSize.largestResponse) are allowed"))
      }
      throw .invalid(
        InvalidFieldError(
          "request",
          "has \(message.count) bytes; at most \(RequestSize.largest) are allowed, except for audio "
            + "that contains each input once and no unknown field"))
    }
  }

  /// Decodes a message that is small enough. Unknown fields are dropped.
  public static func decoded(_ message: UnsafeRawBufferPointer) throws(RequestError) -> Self {
    try checkSize(message)
    return try parsed(message, .request)
  }

  /// Decodes a message of any size, which a session has already accepted.
  public static func decodedWhole(
    _ message: UnsafeRawBufferPointer
  ) throws(RequestError) -> Self {
    try parsed(message, BinaryDecodingOptions())
  }

  private static func parsed(
    _ message: UnsafeRawBufferPointer, _ options: BinaryDecodingOptions
  ) throws(RequestError) -> Self {
    do {
      return try Anechoic_V1_ProcessRequest(serializedBytes: Data(message), options: options)
    } catch {
      throw .malformed("ProcessRequest")
    }
  }

  /// Returns the start that the first request of a session has to contain. Throws if it contains
  /// anything else.
  public func firstStart() throws(InvalidFieldError) -> Anechoic_V1_Start {
    switch request {
    case .start(let start): return start
    case .audio: throw .beforeStart("audio")
    case .playbackReport: throw .beforeStart("playback_report")
    case .control: throw .beforeStart("control")
    case .deviceReport: throw .beforeStart("device_report")
    case .headPose: throw .beforeStart("head_pose")
    case nil: throw InvalidFieldError("request", "is empty; the first request must contain start")
    }
  }
}

extension InvalidFieldError {
  fileprivate static func beforeStart(_ field: String) -> InvalidFieldError {
    InvalidFieldError(field, "came before start; the first request must contain start")
  }
}

extension Anechoic_V1_AudioInput {
  /// Calls `body` with the audio in the form that the frame path takes.
  func withRequest(_ body: (AudioRequest) throws(RequestError) -> Void) throws(RequestError) {
    guard farEnds.count <= AudioRequest.mostFarEnds else {
      throw .invalid(
        InvalidFieldError("audio.far_ends", "has more than \(AudioRequest.mostFarEnds) far ends"))
    }
    let inputs = [microphone, reference, farEnd, otherAudio] + farEnds.map(\.audio)
    let ids = farEnds.map(\.farEndID.utf8)
    let bytes = inputs.flatMap { Array($0.samples) } + ids.flatMap { Array($0) }
    let result: Result<Void, RequestError> = bytes.withUnsafeBytes { bytes in
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
      for (index, id) in ids.enumerated() {
        request.addFarEnd(
          chunks[4 + index], id: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + id.count])
        )
        offset += id.count
      }
      return Result { () throws(RequestError) in try body(request) }
    }
    try result.get()
  }
}
