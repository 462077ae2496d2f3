import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import VoiceClient
import VoiceServer

/// The device reports of a media client, and their effects.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct DeviceReportTests {
  private static let microphone = AudioFormat.s16.babble(2000)
  private static let audio = Anechoic_V1_ProcessRequest.audio(microphone: microphone, .s16)
  private static let began = Anechoic_V1_ProcessRequest.with {
    $0.deviceReport.interruption.began = true
    $0.deviceReport.interruption.reason = .deviceBusy
  }
  private static let ended = Anechoic_V1_ProcessRequest.with {
    $0.deviceReport.interruption.shouldResume = true
  }

  @Test func everybodyHearsOfRoutesAndInterruptionsAndTheSessionShowsTheRoute() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let session = stream.started.session
      let watch = try await server.steering(as: "olga").begunWatch(session)
      let requests = [.route("speaker"), Self.began, .route("speaker"), Self.ended]
      for request in requests { try await stream.send(request.deviceReport) }
      try await stream.send(Anechoic_V1_ProcessRequest.route("headset").deviceReport)
      let last = try await watch.event { $0.routeChanged.current.output.portID == "headset" }
      #expect(last.routeChanged.previous == requests[0].deviceReport.routeChanged.current)
      let shown = try await server.steering(as: "olga").get(session)
      #expect(shown.route == last.routeChanged.current && shown.lastEventID == last.eventID)
      stream.finish()
      var recording = Recording()
      while let response = try await stream.receive() { recording.record(response) }
      let reports = recording.events.filter { event in
        switch event.event {
        case .routeChanged, .interruption: true
        default: false
        }
      }
      #expect(reports.count == 4 && reports.last == last)
      #expect(!reports[0].routeChanged.hasPrevious)
      #expect(reports[1].interruption == requests[1].deviceReport.interruption)
      #expect(reports[2].interruption.reason == .deviceBusy)
      #expect(reports[2].interruption.shouldResume && !reports[2].interruption.began)
      #expect(recording.hasContiguousEvents && recording.endReason == .clientClosed)
    }
  }

  @Test func beforeAnyReportThereIsNoRoute() async throws {
    try await TestServer.run { server in
      _ = try await RunningClient.run(server) { client, steering in
        let session = try await steering.get(client.session)
        #expect(!session.hasRoute)
      }
    }
  }

  @Test func aPressOnAnInterruptedMicrophoneIsIgnored() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let (session, steering) = (stream.started.session, server.steering(as: "olga"))
      try await stream.send(.with { $0.microphone.samples = Data(Self.microphone.prefix(3200)) })
      try await steering.waitForFrames(of: session)
      let watch = try await steering.begunWatch(session)
      for (index, request) in [Self.began, Self.ended].enumerated() {
        try await stream.send(request.deviceReport)
        _ = try await watch.event { event in
          if case .interruption = event.event { true } else { false }
        }
        let press = try await steering.reportMuteGesture(session, id: "\(index)")
        #expect(press.outcome == (index == 0 ? .ignored : .applied))
      }
      stream.finish()
      while try await stream.receive() != nil {}
    }
  }

  @Test func aFloodIsRefusedAndHarmsNothing() async throws {
    let flood = (0..<5_000).map { $0.isMultiple(of: 2) ? Self.began : Self.ended }
    let mute = Anechoic_V1_ProcessRequest.with {
      $0.control.controlID = 7
      $0.control.setMute.muted = false
    }
    try await TestServer.run { server in
      let plain = try await server.record(.mediaClock(), Self.audio).processed
      let recording = try await Bystander.watching(server) {
        try await server.record(
          .mediaClock(), Self.audio.prefix(50) + flood + [mute] + Self.audio.dropFirst(50))
      }
      #expect(recording.processed == plain && recording.endReason == .clientClosed)
      let refused = recording.results.filter(\.hasRefusal)
      #expect(refused.count == 4_980, "\(refused.count)")
      #expect(refused.allSatisfy { $0.controlID == 0 })
      #expect(
        refused.allSatisfy {
          $0.refusal.code == StatusCode.resourceExhausted.rawValue
            && $0.refusal.reason == "TOO_MANY_REPORTS"
        })
      #expect(recording.results.filter { !$0.hasRefusal }.map(\.controlID) == [7])
      #expect(recording.hasContiguousEvents)
    }
  }

  @Test func aRecordedSessionHasTheSameReportsAndBytesWhenItIsReplayed() async throws {
    let client = EchoClient(seconds: 8)
    let reports: [(after: Int, Anechoic_V1_ProcessRequest)] = [
      (100, .route("speaker")), (200, .route("headset", isHeadphones: true)),
      (250, Self.began), (280, Self.ended), (300, .route("speaker")),
    ]
    var requests = client.requests()
    for (index, report) in reports.reversed() {
      requests.insert(report, at: requests.count * index / 400)
    }
    // More reports than are allowed at once.
    requests.insert(contentsOf: (0..<40).map { .route("port \($0)") }, at: requests.count * 7 / 8)
    let sent = requests
    let start = EchoClient.start.with { $0.sessionID = RecordedCall.id }
    let call = try await RecordedCall.run { server in try await server.exchange(start, sent) }
    #expect(call.heard.status == nil && call.heard.endReason == .clientClosed)
    #expect(call.heard.events.count { $0.routeChanged.hasCurrent } == 3 + 20)
    #expect(call.heard.results.count { $0.refusal.reason == "TOO_MANY_REPORTS" } == 20)
    let outcome = try call.expectSame().outcome
    #expect(outcome.withheldFrom == nil && !outcome.digest.processedSha256.isEmpty)
    // The reports changed the audio.
    let plain = try await TestServer.run { server in
      try await server.exchange(EchoClient.start, client.requests())
    }
    #expect(plain.processed.count == call.heard.processed.count)
    #expect(plain.processed != call.heard.processed)
  }
}

extension Anechoic_V1_ProcessRequest {
  /// Returns a report of a route whose loudspeaker has this id.
  static func route(_ id: String, isHeadphones: Bool = false) -> Self {
    .with {
      $0.deviceReport.routeChanged.reason = .automaticSwitch
      $0.deviceReport.routeChanged.current.input.portID = "mic"
      $0.deviceReport.routeChanged.current.output.portID = id
      $0.deviceReport.routeChanged.current.output.headphones = isHeadphones
    }
  }
}
