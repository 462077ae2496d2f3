import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Requests that are invalid after a start, and their statuses.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RefusedRequestTests {
  /// An invalid request, and the field that the status names.
  struct Fault: Sendable {
    let field: String
    var code = StatusCode.invalidArgument
    var start = Anechoic_V1_Start.mediaClock(.stereoFloats)
    let request: Anechoic_V1_ProcessRequest
  }

  /// The subject of a request.
  enum Part: CaseIterable {
    case audio, others

    fileprivate var faults: [Fault] {
      switch self {
      case .audio: RefusedRequestTests.audio
      case .others: RefusedRequestTests.others
      }
    }
  }

  fileprivate static let audio: [Fault] = [
    Fault(field: "audio.microphone.samples", request: .microphone([1, 2, 3])),
    Fault(field: "audio.microphone.samples", request: .microphone([])),
    Fault(
      field: "audio.microphone.samples",
      request: .microphone(encode([[0, .nan], [0, 0]], .f32))),
    Fault(
      field: "audio.microphone.samples",
      request: .microphone(encode([[0, 0], [-.infinity, 0]], .f32))),
    Fault(
      field: "audio.microphone.samples",
      request: .microphone([UInt8](repeating: 0, count: AudioFormat.stereoFloats.bytes(1010)))),
    Fault(
      field: "audio.microphone.first_sample",
      request: .with {
        $0.audio.microphone.samples = Data(count: 8)
        $0.audio.microphone.firstSample = -1
      }),
    Fault(
      field: "audio.microphone.first_sample",
      request: .with {
        $0.audio.microphone.samples = Data(count: 8)
        $0.audio.microphone.firstSample = .max
      }),
    Fault(
      field: "audio.reference.samples",
      start: .mediaClock(.s16, reference: .s16),
      request: .with {
        $0.audio.microphone.samples = Data(count: 320)
        $0.audio.reference.samples = Data(count: 3)
      }),
    Fault(field: "audio", request: .with { $0.audio = .init() }),
    Fault(
      field: "audio.reference",
      request: .with { $0.audio.reference.samples = Data(count: 320) }),
    Fault(
      field: "audio.far_end",
      request: .with { $0.audio.farEnd.samples = Data(count: 320) }),
    Fault(
      field: "audio.other_audio",
      request: .with { $0.audio.otherAudio.samples = Data(count: 320) }),
  ]

  fileprivate static let others: [Fault] = [
    Fault(field: "start", request: .start(.mediaClock())),
    Fault(field: "request", request: .init()),
    Fault(field: "playback_report", request: .with { $0.playbackReport.firstSample = 1 }),
    Fault(field: "device_report", request: .with { $0.deviceReport = .init() }),
    Fault(
      field: "device_report.interruption.reason",
      request: .with { $0.deviceReport.interruption.began = true }),
    Fault(
      field: "device_report.route_changed.reason",
      request: .with { $0.deviceReport.routeChanged.current = .init() }),
    Fault(
      field: "device_report.route_changed.current",
      request: .with { $0.deviceReport.routeChanged.reason = .newDevice }),
    Fault(
      field: "device_report.route_changed.current.output.port_id",
      request: .route(String(repeating: "a", count: 256))),
  ]

  @Test(arguments: Part.allCases)
  func aWrongRequestEndsTheCallAndDisturbsNobody(part: Part) async throws {
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for fault in part.faults {
          let status = try await server.status(after: [.start(fault.start), fault.request])
          try status.expect(
            fault.code, field: fault.field,
            reason: fault.code == .unimplemented ? "UNSUPPORTED" : "INVALID_FIELD")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test(arguments: [
    ("audio", Anechoic_V1_ProcessRequest.microphone([0, 0])),
    ("audio", .with { $0.audio = .init() }),
    ("control", .control(.init())),
    ("playback_report", .with { $0.playbackReport = .init() }),
    ("device_report", .with { $0.deviceReport = .init() }),
    ("request", .init()),
  ])
  func nothingComesBeforeTheStart(field: String, request: Anechoic_V1_ProcessRequest) async throws {
    try await TestServer.run { server in
      try await server.status(after: [request]).expect(.invalidArgument, field: field)
      #expect(try await server.client.capabilities().sessionsActive == 0)
    }
  }

  @Test func garbageIsRefusedBeforeAndAfterTheStart() async throws {
    let garbage: [[UInt8]] = [
      [0xff], [UInt8](repeating: 0x0a, count: 999), [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f],
      Array("GET / HTTP/1.1\r\n\r\n".utf8),
      // Audio whose microphone field is longer than the message.
      [0x0a, 0x04, 0x0a, 0x7f, 0x0a, 0x00],
    ]
    let start: [UInt8] = try Anechoic_V1_ProcessRequest.start(.mediaClock()).serializedBytes()
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for bytes in garbage {
          for messages in [[bytes], [start, bytes]] {
            let status = try await server.status(after: messages)
            #expect(status.code == .invalidArgument, "\(bytes): \(status)")
            let info = try status.detail(Google_Rpc_ErrorInfo.self)
            #expect(info?.reason == "MALFORMED_REQUEST", "\(bytes)")
          }
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test func aRequestOfAMillionFieldsIsRefusedBeforeItIsDecoded() async throws {
    let count = 1_000_000
    // 32,768 bytes are decoded. Each message has a million empty fields of two bytes.
    func request(_ field: UInt8, _ inner: UInt8) -> [UInt8] {
      [field << 3 | 2, 0x80, 0x89, 0x7a]  // the length, 2,000,000
        + (0..<count).flatMap { _ in [inner << 3 | 2, 0] }
    }
    let start: [UInt8] = try Anechoic_V1_ProcessRequest.start(.mediaClock()).serializedBytes()
    let attempts: [[[UInt8]]] = [
      [request(2, 3)],  // start
      [start, request(1, 1)],  // audio, with the microphone a million times
      [start, request(5, 2)],  // device_report
    ]
    try await TestServer.run { server in
      try await Bystander.watching(server) {
        for messages in attempts {
          try await server.status(after: messages).expect(.invalidArgument, field: "request")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }

  @Test func aMessageAboveTheLimitIsRefused() async throws {
    let request: [UInt8] =
      try Anechoic_V1_ProcessRequest
      .microphone([UInt8](repeating: 0, count: 5_000_000)).serializedBytes()
    let start: [UInt8] = try Anechoic_V1_ProcessRequest.start(.mediaClock()).serializedBytes()
    try await TestServer.run { server in
      #expect(try await server.client.capabilities().maxMessageBytes == 4 << 20)
      try await Bystander.watching(server) {
        for messages in [[request], [start, request]] {
          let status = try await server.status(after: messages)
          #expect(status.code == .resourceExhausted, "\(status)")
          #expect(status.message.contains("larger than max"), "\(status)")
        }
      }
      try await server.sessionsActive(become: 0)
    }
  }
}

extension AudioFormat {
  static let stereoFloats = AudioFormat(encoding: .f32, rate: .hz16000, channelCount: 2)
}
