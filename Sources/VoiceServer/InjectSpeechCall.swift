internal import AnechoicAPI
internal import GRPCTransport
internal import SwiftProtobuf
internal import VoiceSessions

/// One `InjectSpeech` call: audio or text in, and an answer when all of it has been heard.
struct InjectSpeechCall {
  private let directory: SessionDirectory
  private let client: ControlOrigin

  init(_ directory: SessionDirectory, _ client: ControlOrigin) {
    self.directory = directory
    self.client = client
  }

  func run(_ requests: RequestStream) async throws -> Anechoic_V1_InjectSpeechResponse {
    guard case .start(let start) = try await next(requests) else {
      throw Status(InvalidField("start", "comes first"))
    }
    let session = try directory.session(named: start.name, field: "start.name")
    let source = try InjectionSource(start, session.setup)
    try await source.check()
    let id = try Self.id(start)
    let stream = InjectionStream(session, id: id, client)
    try await stream.begin()
    do {
      while let request = try await next(requests) {
        try await stream.send(source.speech(request))
      }
      try await stream.send(source.rest())
      let heard = try await stream.finish()
      return .with {
        $0.injectionID = id
        $0.injected = Google_Protobuf_Duration(heard)
      }
    } catch {
      stream.cancel()
      throw error
    }
  }

  private func next(
    _ requests: RequestStream
  ) async throws -> Anechoic_V1_InjectSpeechRequest.OneOf_Request? {
    guard let bytes: [UInt8] = try await requests.next() else { return nil }
    guard let message = try? Anechoic_V1_InjectSpeechRequest(serializedBytes: bytes) else {
      throw Status.notA("InjectSpeechRequest")
    }
    guard let request = message.request else {
      throw Status(InvalidField("request", "is empty"))
    }
    return request
  }

  private static func id(_ start: Anechoic_V1_InjectionStart) throws(Status) -> String {
    do {
      return try SessionID.resolve(start.injectionID, path: "start.injection_id")
    } catch {
      throw Status(error)
    }
  }
}
