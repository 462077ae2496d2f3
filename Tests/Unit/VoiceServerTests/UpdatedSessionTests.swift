import AnechoicAPI
import GRPCTransport
import SwiftProtobuf
import Testing
import TestTime
import VoiceClient

/// Changes of a session by a client that does not stream its audio.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct UpdatedSessionTests {
  /// A path and the change that it causes.
  struct Field: Sendable, CustomTestStringConvertible {
    let path: String
    let set: @Sendable (inout Anechoic_V1_Session) -> Void

    var testDescription: String { path }
  }

  private static let fields: [Field] = [
    Field(path: "config.preferred_mic_mode") { $0.config.preferredMicMode = .voiceIsolation },
    Field(path: "config.voice_processing.bypassed") { $0.config.voiceProcessing.bypassed = true },
    Field(path: "config.other_audio_ducking.level") { $0.config.otherAudioDucking.level = .max },
    Field(path: "config.mute.chime_disabled") { $0.config.mute.chimeDisabled = true },
    Field(path: "config.mute.gesture_policy") { $0.config.mute.gesturePolicy = .ask },
    Field(path: "config.voice_activity_detection.hangover") {
      $0.config.voiceActivityDetection.hangover = Google_Protobuf_Duration(seconds: 1)
    },
    Field(path: "config.preferred_injection_mode") {
      $0.config.preferredInjectionMode = .none
    },
    Field(path: "labels") { $0.labels = ["room": "5"] },
  ]

  @Test(arguments: fields)
  func onlyFieldsOfTheMaskChange(field: Field) async throws {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock().with { $0.labels = ["room": "4"] }
      let recording = try await RunningClient.run(server, start) { client, steering in
        var expected = try await steering.get(client.session)
        // A value that the mask does not name is ignored.
        var update = Anechoic_V1_Session.with {
          $0.name = client.session
          $0.config.voiceActivityDetection.startWindow.seconds = 2
          $0.config.mute.rejectGestureOnTimeout = true
        }
        field.set(&update)
        let updated = try await steering.update(update, mask: [field.path]).session
        field.set(&expected)
        let read = try await steering.get(client.session)
        #expect(updated.labels == expected.labels && read.labels == expected.labels)
        // A mode changes other parts too.
        if field.path == "config.preferred_mic_mode" {
          expected.config.voiceProcessing = read.config.voiceProcessing
        }
        #expect(read.config == expected.config && updated.config == expected.config)
      }
      let changes = recording.events.filter { $0.configChanged.hasConfig }
      #expect(changes.map(\.configChanged.actor) == (field.path == "labels" ? [] : ["olga"]))
    }
  }

  @Test func aWholeConfigurationReplacesTheOldOne() async throws {
    try await TestServer.run { server in
      let start = Anechoic_V1_Start.mediaClock().with {
        $0.config.mute.chimeDisabled = true
        $0.config.otherAudioDucking.level = .max
        $0.config.turnDetection.enabled = true
        $0.config.turnDetection.endProbability = 0.5
      }
      let plain = try await server.record(.mediaClock(), []).started.config
      _ = try await RunningClient.run(server, start) { client, steering in
        let session = try await steering.update(
          .with {
            $0.name = client.session
            $0.config.preferredMicMode = .wideSpectrum
          }, mask: ["config"]
        ).session
        #expect(session.config.preferredMicMode == .wideSpectrum)
        #expect(session.config.mute == plain.mute)
        #expect(session.config.otherAudioDucking == plain.otherAudioDucking)
        #expect(session.config.turnDetection == plain.turnDetection)
      }
    }
  }

  @Test func aRefusedUpdateChangesNothingOfWhatItNames() async throws {
    let refused: [(mask: [String], code: StatusCode, field: String)] = [
      ([], .invalidArgument, "update_mask"), ([""], .invalidArgument, "update_mask"),
      (["config."], .invalidArgument, "update_mask"),
      (["labels", "config.nonsense"], .invalidArgument, "update_mask"),
      (["labels.room"], .invalidArgument, "update_mask"),
      (["labels", "mute"], .invalidArgument, "update_mask"),
      // Swift counts this text as one character.
      (["a" + String(repeating: "\u{301}", count: 10_000)], .invalidArgument, "update_mask"),
      (["config." + String(repeating: "a", count: 20_000)], .invalidArgument, "update_mask"),
      (["name"], .invalidArgument, "update_mask"), (["*"], .invalidArgument, "update_mask"),
      (
        ["labels", "config.spatial_audio"], .notFound,
        "session.config.spatial_audio.listener_profile"
      ),
      (
        ["labels", "config.mute"], .invalidArgument,
        "session.config.mute.gesture_decision_timeout"
      ),
    ]
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server) { client, steering in
        try await steering.waitForFrames(of: client.session)
        let before = try await steering.get(client.session)
        let update = Anechoic_V1_Session.with {
          $0.name = client.session
          $0.labels = ["room": "5"]
          $0.config.spatialAudio.listenerProfile = "mine"
          $0.config.mute.gestureDecisionTimeout.seconds = -1
        }
        for (mask, code, field) in refused {
          let status = try await refusal { _ = try await steering.update(update, mask: mask) }
          #expect(status?.code == code, "\(mask): \(String(describing: status))")
          #expect(status?.message.hasPrefix("\(field): ") == true, "\(String(describing: status))")
        }
        let after = try await steering.get(client.session)
        #expect(after.config == before.config && after.labels == before.labels)
        #expect(after.lastEventID == before.lastEventID)
      }
      #expect(recording.endReason == .clientClosed)
    }
  }

  /// The configuration of this session changes at a sample that never comes.
  @Test func labelsDoNotWaitForTheConfiguration() async throws {
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let (steering, name) = (server.steering(as: "olga"), stream.started.session)
      let update = Anechoic_V1_Session.with {
        $0.name = name
        $0.labels = ["room": "5"]
        $0.config.mute.chimeDisabled = true
      }
      let waiting = Task {
        try await steering.update(
          update, mask: ["labels", "config.mute.chime_disabled"], atSample: 16_000)
      }
      try await eventually("the labels") { try await steering.get(name).labels == ["room": "5"] }
      #expect(try await !steering.get(name).config.mute.chimeDisabled)
      waiting.cancel()
      stream.cancel()
    }
  }

  @Test func labelsHaveTheirLimits() async throws {
    let tooMany = Dictionary(uniqueKeysWithValues: (0...64).map { ("key\($0)", "") })
    let refused = [
      tooMany, ["": "x"], [String(repeating: "k", count: 64): "x"],
      ["k": String(repeating: "v", count: 256)],
    ]
    try await TestServer.run { server in
      let stream = try await server.client.process(.mediaClock())
      let steering = server.steering(as: "olga")
      let name = stream.started.session
      for labels in refused {
        let status = try await refusal {
          _ = try await steering.update(
            .with {
              $0.name = name
              $0.labels = labels
            }, mask: ["labels"])
        }
        try #require(status).expect(.invalidArgument, field: "session.labels")
      }
      let most = [String(repeating: "k", count: 63): String(repeating: "v", count: 255)]
      let session = try await steering.update(
        .with {
          $0.name = name
          $0.labels = most
        }, mask: ["labels"]
      ).session
      #expect(session.labels == most)
      stream.cancel()
    }
  }

  @Test func updatesFromSeveralConnectionsLoseNothingOfEachOther() async throws {
    try await TestServer.run(threads: 2) { server in
      let recording = try await RunningClient.run(server) { client, steering in
        let fields: [Field] = [
          Field(path: "config.other_audio_ducking") { $0.config.otherAudioDucking.level = .max },
          Field(path: "config.mute") { $0.config.mute.chimeDisabled = true },
          Field(path: "config.preferred_injection_mode") {
            $0.config.preferredInjectionMode = .none
          },
          Field(path: "config.voice_activity_detection") {
            $0.config.voiceActivityDetection.farEndEnabled = true
          },
        ]
        try await withThrowingTaskGroup { group in
          for field in fields {
            group.addTask {
              let own = server.steering(as: field.path)
              // Sets and clears the field in turns, and sets it in the end.
              for round in 0..<11 {
                var update = Anechoic_V1_Session.with { $0.name = client.session }
                if round.isMultiple(of: 2) { field.set(&update) }
                _ = try await own.update(update, mask: [field.path])
              }
            }
          }
          try await group.waitForAll()
        }
        let config = try await steering.get(client.session).config
        #expect(config.otherAudioDucking.level == .max && config.mute.chimeDisabled)
        #expect(config.preferredInjectionMode == .none)
        #expect(config.voiceActivityDetection.farEndEnabled)
      }
      let changes = recording.events.filter { $0.configChanged.hasConfig }
      #expect(changes.count == 44 && recording.hasContiguousEvents)
    }
  }
}
