internal import AnechoicAPI
internal import BundledEngines
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceEngines
internal import VoiceSessions

/// The requests of one `Process` call. Each is preceded by its length in two bytes, the least
/// significant byte first. The first valid start begins the session. The others take the path that
/// they take in a server.
enum SessionInput {
  /// The maximum number of frames for one input. One gap may have a thousand frames.
  private static let mostFrames = 3000

  static func run(_ input: UnsafeRawBufferPointer) {
    var rest = input[...]
    var requests: SessionRequests?
    let sink = Silence()
    var turns = mostFrames / SessionRequests.framesPerTurn
    while let message = nextMessage(&rest), turns > 0 {
      guard let requests else {
        requests = start(message)
        continue
      }
      guard let hasAudio = try? requests.accept(message, sink: sink) else { break }
      guard hasAudio else { continue }
      repeat {
        requests.session.process(atMost: SessionRequests.framesPerTurn, sink: sink)
        turns -= 1
      } while requests.session.hasCompleteFrame && turns > 0
    }
    if turns > 0 { requests?.session.finish(.clientClosed, sink: sink) }
  }

  private static func start(_ message: UnsafeRawBufferPointer) -> SessionRequests? {
    guard let request = try? Anechoic_V1_ProcessRequest.decoded(message),
      let setup = try? SessionSetup(request.start),
      let session = try? VoiceSession(setup, engine: EngineCatalog.bundled.defaultEngine)
    else { return nil }
    return SessionRequests(session: session, setup: setup) { _ in false }
  }

  private static func nextMessage(
    _ rest: inout Slice<UnsafeRawBufferPointer>
  ) -> UnsafeRawBufferPointer? {
    guard rest.count >= 2 else { return nil }
    let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
    let body = rest.dropFirst(2).prefix(length)
    rest = rest.dropFirst(2 + length)
    return UnsafeRawBufferPointer(rebasing: body)
  }

  /// Returns an input with these requests.
  static func bytes(_ requests: [Anechoic_V1_ProcessRequest]) -> [UInt8] {
    requests.flatMap { request -> [UInt8] in
      let bytes: [UInt8] = (try? request.serializedBytes()) ?? []
      return [UInt8(bytes.count & 255), UInt8(bytes.count >> 8)] + bytes
    }
  }
}
