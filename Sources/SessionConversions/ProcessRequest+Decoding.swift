public import AnechoicAPI
internal import Foundation
internal import SwiftProtobuf

extension Anechoic_V1_ProcessRequest {
  /// The size in bytes up to which a message is decoded. The largest useful `Start` has some 24 KiB. A
  /// message can contain a field for every two bytes, and each costs microseconds on the audio thread.
  private static let largestDecoded = 32 << 10

  /// Throws for a message that is too large to be decoded.
  public static func checkSize(_ message: UnsafeRawBufferPointer) throws(RequestFault) {
    guard message.count <= largestDecoded else {
      throw .invalid(
        InvalidField(
          "request",
          "has \(message.count) bytes; at most \(largestDecoded) are allowed, except for audio "
            + "that contains each input once and no unknown field"))
    }
  }

  /// Decodes a message that is small enough. Unknown fields are dropped.
  public static func decoded(_ message: UnsafeRawBufferPointer) throws(RequestFault) -> Self {
    try checkSize(message)
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = true
    return try parsed(message, options)
  }

  /// Decodes a message of any size, which a session has already accepted.
  public static func decodedWhole(
    _ message: UnsafeRawBufferPointer
  ) throws(RequestFault) -> Self {
    try parsed(message, BinaryDecodingOptions())
  }

  private static func parsed(
    _ message: UnsafeRawBufferPointer, _ options: BinaryDecodingOptions
  ) throws(RequestFault) -> Self {
    do {
      return try Anechoic_V1_ProcessRequest(serializedBytes: Data(message), options: options)
    } catch {
      throw .malformed("ProcessRequest")
    }
  }

  /// The name of the field that is set.
  public var fieldName: String {
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

extension Anechoic_V1_AudioInput {
  /// Lends the audio to `body` in the form that the frame path takes.
  func withRequest(_ body: (AudioRequest) throws(RequestFault) -> Void) throws(RequestFault) {
    let inputs = [microphone, reference, farEnd, otherAudio]
    let bytes = inputs.flatMap { Array($0.samples) }
    let result: Result<Void, RequestFault> = bytes.withUnsafeBytes { bytes in
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
      return Result { () throws(RequestFault) in try body(request) }
    }
    try result.get()
  }
}
