import AnechoicAPI
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestTime

/// A session that receives any requests, including those that the client library cannot send.
extension TestServer {
  /// Sends the requests. `pauses` contains the pause after the request with an index.
  func exchange(
    _ start: Anechoic_V1_Start, _ requests: [Anechoic_V1_ProcessRequest],
    pauses: @escaping @Sendable (Int) -> Duration? = { _ in nil }
  ) async throws -> Recording {
    let call = call(timeout: .seconds(40))
    async let sending: Void = Self.send([.start(start)] + requests, on: call, pauses)
    var recording = Recording()
    do {
      while let message = try await call.receive() {
        recording.record(try Anechoic_V1_ProcessResponse(serializedBytes: Data(message)))
      }
    } catch let status as Status {
      recording.status = status
    }
    try await sending
    return recording
  }

  private static func send(
    _ requests: [Anechoic_V1_ProcessRequest], on call: ClientCall,
    _ pauses: @Sendable (Int) -> Duration?
  ) async throws {
    do {
      for (index, request) in requests.enumerated() {
        try await call.send(request.serializedBytes())
        if let pause = pauses(index) { try await realTime(pause) }
      }
      call.halfClose()
    } catch is Status {
      // `receive` throws the same error.
    }
  }
}

extension Anechoic_V1_ProcessRequest {
  static func report(
    _ firstSample: Int64, at deviceTime: Int64 = 0, silence: UInt32 = 0
  ) -> Self {
    .with {
      $0.playbackReport.firstSample = firstSample
      $0.playbackReport.deviceTimeNs = deviceTime
      $0.playbackReport.silenceSamples = silence
    }
  }
}

extension Recording {
  func hasWarned(of problem: Anechoic_V1_CaptureWarning.Problem) -> Bool {
    events.contains { $0.captureWarning.problem == problem && $0.captureWarning.active }
  }
}
