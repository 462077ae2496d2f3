import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

@testable import VoiceServer

/// Clients that may only inject, and learn what they need for it.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct InjectionStatusTests {
  /// A session of `olga` whose media client decides about `doorbell`.
  private func start(
    _ tokens: TokenServer, _ id: String = "kitchen", as owner: String = "olga",
    _ change: (inout Anechoic_V1_Start) -> Void = { _ in }
  ) async throws -> ProcessStream {
    var start = Anechoic_V1_Start.mediaClock().with {
      $0.sessionID = id
      $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
    }
    change(&start)
    return try await tokens.media(owner).process(start)
  }

  /// Sends a second of audio, so that the microphone runs.
  private func speak(_ session: ProcessStream) async throws {
    try await session.send(
      .with { $0.microphone.samples = Data(count: AudioFormat.s16.bytes(1000)) })
  }

  private func decide(_ session: ProcessStream, grant: Bool, remember: Bool = false) async throws {
    try await session.send(
      .with {
        $0.decideInjectionPermission.client = "doorbell"
        $0.decideInjectionPermission.grant = grant
        $0.decideInjectionPermission.remember = remember
      })
  }

  @Test func anInjectorIsToldOfACallThatBeginsAndEnds() async throws {
    try await TokenServer.run { tokens in
      let doorbell = try tokens.steering("doorbell", "inject")
      let watch = try await doorbell.watchInjection("sessions/kitchen")
      let none = try await watch.receive()
      #expect(none?.map(\.running) == [false] && none?.map(\.permission) == [.undetermined])
      let session = try await start(tokens)
      try await speak(session)
      let available = try await watch.status { $0.available }
      #expect(available.running && available.permission == .undetermined)
      // The scope `inject` reads no session.
      let refused = try await refusal { _ = try await doorbell.get("sessions/kitchen") }
      #expect(refused?.reason == "SCOPE_MISSING")
      async let answer = doorbell.requestInjectionPermission(
        "sessions/kitchen", usageDescription: "Doorbell")
      _ = try await session.event { $0.injectionPermissionRequested.client == "doorbell" }
      try await decide(session, grant: true)
      #expect(try await answer == .granted)
      #expect(try await watch.status { $0.permission == .granted }.available)
      #expect(try await doorbell.injectionStatus("sessions/kitchen").permission == .granted)
      session.finish()
      while try await session.receive() != nil {}
      let ended = try await watch.status { !$0.running }
      #expect(!ended.available && ended.permission == .undetermined)
      watch.cancel()
    }
  }

  @Test func aWatchWithoutANameHasOwnSessionsAndThoseOfPeopleWhoPermitted() async throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("anechoic-permissions-\(UUID().uuidString).json").path
    try await TokenServer.run {
      $0.permissions = try PermissionStore(path: file) { _ in }
    } _: { tokens in
      let doorbell = try tokens.steering("doorbell", "inject")
      let kitchen = try await start(tokens)
      async let answer = doorbell.requestInjectionPermission(
        "sessions/kitchen", usageDescription: "Doorbell")
      _ = try await kitchen.event { $0.injectionPermissionRequested.client == "doorbell" }
      try await decide(kitchen, grant: true, remember: true)
      #expect(try await answer == .granted)
      let (own, strange) = (
        try await start(tokens, "gate", as: "doorbell"),
        try await start(tokens, "cellar", as: "eve")
      )
      let watch = try await doorbell.watchInjection()
      let first = try await watch.receive() ?? []
      #expect(first.map(\.session) == ["sessions/gate", "sessions/kitchen"])
      #expect(first.map(\.permission) == [.undetermined, .granted])
      kitchen.cancel()
      _ = try await watch.status { $0.session == "sessions/kitchen" && !$0.running }
      // A stored permission counts in the next call, without a request.
      let hall = try await start(tokens, "hall")
      try await speak(hall)
      let status = try await watch.status { $0.session == "sessions/hall" && $0.available }
      #expect(status.permission == .granted)
      let injection = try await doorbell.injectSpeech(
        .with {
          $0.name = "sessions/hall"
          $0.format = Anechoic_V1_AudioFormat(.s16)
        })
      try await injection.send(.with { $0.samples = Data(count: AudioFormat.s16.bytes(50)) })
      async let heard = injection.finish()
      _ = try await hall.event { $0.injectionPermissionChanged.permission == .granted }
      try await speak(hall)
      #expect(try await heard.injected.nanos == 50_000_000)
      for session in [own, strange, hall] { session.cancel() }
      watch.cancel()
    }
    try? FileManager.default.removeItem(atPath: file)
  }

  @Test func speechWithoutAModeOfItsOwnReachesTheFarEndAndNoneReachesThePersonAlone() async throws {
    try await TestServer.run { server in
      for mode in [.unspecified, .spokenAudio, .none] as [Anechoic_V1_InjectionMode] {
        let recording = try await InjectedSession.run(server, Self.bypassed) { session in
          try await session.permit("olga")
          let injection = try await server.steering(as: "olga").injectSpeech(
            .with {
              $0.name = session.name
              $0.format = Anechoic_V1_AudioFormat(.s16)
              $0.preferredInjectionMode = mode
            })
          try await injection.send(.with { $0.samples = Data(AudioFormat.s16.babble(200)) })
          _ = try await injection.finish()
        }
        #expect(recording.playback.contains { $0 != 0 }, "\(mode)")
        #expect(recording.processed.contains { $0 != 0 } == (mode != .none), "\(mode)")
      }
    }
  }

  @Test func anInjectorThatAsksAThousandTimesIsHeldUp() async throws {
    try await TokenServer.run { tokens in
      let doorbell = try tokens.steering("doorbell", "inject")
      let session = try await start(tokens)
      try await speak(session)
      let refusals = Count()
      try await withThrowingTaskGroup(of: Anechoic_V1_InjectionPermission?.self) { group in
        for _ in 0..<1000 {
          group.addTask {
            do {
              return try await doorbell.requestInjectionPermission(
                "sessions/kitchen", usageDescription: "Doorbell")
            } catch let status as Status {
              #expect(status.code == .resourceExhausted, "\(status)")
              refusals.add(1)
              return nil
            }
          }
        }
        _ = try await session.event { $0.injectionPermissionRequested.client == "doorbell" }
        try await eventually("some are held up") { refusals.value > 0 }
        try await decide(session, grant: false)
        var answers: [Anechoic_V1_InjectionPermission?] = []
        for try await answer in group { answers.append(answer) }
        #expect(answers.count == 1000 && answers.contains(.denied))
        #expect(answers.allSatisfy { $0 == nil || $0 == .denied })
      }
      // Asking for the status asks nobody, however often.
      for _ in 0..<100 {
        #expect(try await doorbell.injectionStatus("sessions/kitchen").permission == .denied)
      }
      session.cancel()
    }
  }

  @Test(arguments: ["kitchen", "sessions/", "sessions/a b", "sessions/a/b"])
  func aNameOfAnotherFormIsRefused(name: String) async throws {
    try await TestServer.run { server in
      let olga = server.steering(as: "olga")
      let status = try await refusal { _ = try await olga.injectionStatus(name) }
      #expect(status?.code == .invalidArgument)
      let watch = try await olga.watchInjection(name)
      let watched = try await refusal { _ = try await watch.receive() }
      #expect(watched?.code == .invalidArgument)
    }
  }

  private static let bypassed = InjectedSession.start.with {
    $0.config.preferredInjectionMode = .unspecified
    $0.config.voiceProcessing.bypassed = true
  }
}

extension InjectionWatchStream {
  /// Returns the next status that fits.
  fileprivate func status(
    where fits: (Anechoic_V1_InjectionStatus) -> Bool
  ) async throws -> Anechoic_V1_InjectionStatus {
    while let statuses = try await receive() {
      if let status = statuses.first(where: fits) { return status }
    }
    throw Status(.internal, "the watch has ended before the status came")
  }
}

extension ProcessStream {
  /// Returns the next event that fits.
  fileprivate func event(
    where fits: (Anechoic_V1_SessionEvent) -> Bool
  ) async throws -> Anechoic_V1_SessionEvent {
    while let response = try await receive() {
      if case .event(let event) = response.response, fits(event) { return event }
    }
    throw Status(.internal, "the session has ended before the event came")
  }
}
