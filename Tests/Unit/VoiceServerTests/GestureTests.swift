import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient

/// Headset buttons, with a session that decides by itself.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct GestureTests {
  private static let start = Anechoic_V1_Start.mediaClock().with {
    $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
  }

  @Test func aPressMutesAndChimesAndTheNextOneUndoesIt() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, Self.start) { client, steering in
        try await client.waitForFrames(more: 20)
        let muting = try await steering.reportMuteGesture(client.session, id: "1")
        #expect(muting.outcome == .applied && muting.chimeInPlayback && muting.state.muted)
        try await client.waitForFrames(more: 40)
        let unmuting = try await steering.reportMuteGesture(client.session, id: "2")
        #expect(unmuting.outcome == .applied && unmuting.chimeInPlayback)
        #expect(!unmuting.state.muted && unmuting.state.generation == 2)
        try await client.waitForFrames(more: 40)
      }
      let playback = decode(recording.playback, .s16)[0]
      let changes = recording.events.filter { $0.muteChanged.hasState }
      let resolved = recording.events.filter { !$0.muteGestureResolved.gestureID.isEmpty }
      #expect(resolved.map(\.muteGestureResolved.outcome) == [.applied, .applied])
      #expect(resolved.map(\.muteGestureResolved.state) == changes.map(\.muteChanged.state))
      let positions = changes.map { Int($0.microphoneSample) }
      try #require(positions.count == 2)
      // The chime has two tones of 80 ms, falling for mute and rising for unmute.
      for (position, tones) in zip(positions, [[880, 587.33], [587.33, 880]] as [[Float]]) {
        for (half, tone) in tones.enumerated() {
          let part = playback[(position + half * 1280)...].prefix(1280)
          let other: Float = tone == 880 ? 587.33 : 880
          #expect(strength(of: tone, in: part) > 20 * strength(of: other, in: part))
        }
      }
      let chimes = positions.map { $0..<$0 + 2560 }
      let rest = playback.indices.filter { index in !chimes.contains { $0.contains(index) } }
      #expect(rest.allSatisfy { playback[$0] == 0 })
    }
  }

  @Test func aSwitchSetsTheStateAndTheSameStateChangesNothing() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, Self.start) { client, steering in
        try await steering.waitForFrames(of: client.session)
        let first = try await steering.reportMuteGesture(client.session, id: "1", muted: true)
        #expect(first.state.muted && first.chimeInPlayback)
        let same = try await steering.reportMuteGesture(client.session, id: "2", muted: true)
        #expect(same.outcome == .applied && same.state == first.state && !same.chimeInPlayback)
        let back = try await steering.reportMuteGesture(client.session, id: "3", muted: false)
        #expect(!back.state.muted && back.state.generation == 2)
      }
      #expect(recording.events.filter { $0.muteChanged.hasState }.count == 2)
    }
  }

  @Test func aRepeatIsTheSamePressWithTheSameAnswer() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server, Self.start) { client, steering in
        try await steering.waitForFrames(of: client.session)
        let first = try await steering.reportMuteGesture(client.session, id: "press")
        for reporter in [steering, server.steering(as: "paul")] {
          // A reporter that did not get the first answer must not play a chime of its own either.
          #expect(try await reporter.reportMuteGesture(client.session, id: "press") == first)
        }
      }
      #expect(recording.events.filter { $0.muteChanged.hasState }.count == 1)
      #expect(recording.events.filter { !$0.muteGestureResolved.gestureID.isEmpty }.count == 1)
    }
  }

  @Test func withoutAPlaybackThereIsNoChime() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server) { client, steering in
        try await steering.waitForFrames(of: client.session)
        let press = try await steering.reportMuteGesture(client.session, id: "1")
        #expect(press.outcome == .applied && press.state.muted && !press.chimeInPlayback)
      }
      #expect(recording.playback.isEmpty)
    }
  }

  @Test func aDisabledChimeIsNotHeard() async throws {
    try await TestServer.run { server in
      let start = Self.start.with { $0.config.mute.chimeDisabled = true }
      let recording = try await RunningClient.run(server, start) { client, steering in
        try await steering.waitForFrames(of: client.session)
        let press = try await steering.reportMuteGesture(client.session, id: "1")
        #expect(press.outcome == .applied && press.state.muted && !press.chimeInPlayback)
        try await client.waitForFrames(more: 30)
      }
      #expect(!recording.playback.isEmpty && recording.playback.allSatisfy { $0 == 0 })
    }
  }

  @Test(arguments: [false, true])
  func aSessionThatIgnoresGesturesIsNotDisturbed(beforeAnyAudio: Bool) async throws {
    try await TestServer.run { server in
      let start = Self.start.with {
        $0.sessionID = "call-1"
        $0.config.mute.gesturePolicy = beforeAnyAudio ? .apply : .ignore
      }
      let stream = try await server.client.process(start)
      let steering = server.steering(as: "olga")
      if !beforeAnyAudio {
        try await stream.send(.with { $0.microphone.samples = Data(AudioFormat.s16.babble(100)) })
        try await steering.waitForFrames(of: stream.started.session)
      }
      let press = try await steering.reportMuteGesture(stream.started.session, id: "1")
      #expect(press.outcome == .ignored && !press.state.muted && !press.chimeInPlayback)
      stream.finish()
      var recording = Recording()
      while let response = try await stream.receive() { recording.record(response) }
      #expect(!recording.events.contains { $0.muteChanged.hasState })
      #expect(recording.playback.allSatisfy { $0 == 0 })
    }
  }

  @Test func anIDHasItsLimits() async throws {
    try await TestServer.run { server in
      let recording = try await RunningClient.run(server) { client, steering in
        try await steering.waitForFrames(of: client.session)
        for id in ["", String(repeating: "a", count: 129), String(repeating: "é", count: 65)] {
          let status = try await refusal {
            _ = try await steering.reportMuteGesture(client.session, id: id)
          }
          try #require(status).expect(.invalidArgument, field: "gesture_id")
        }
        let longest = String(repeating: "a", count: 128)
        #expect(
          try await steering.reportMuteGesture(client.session, id: longest).outcome == .applied)
      }
      #expect(recording.endReason == .clientClosed)
    }
  }

  /// Returns the power at a frequency (Goertzel algorithm), at 16 kHz.
  private func strength(of frequency: Float, in samples: ArraySlice<Float>) -> Float {
    var sine: Float = 0
    var cosine: Float = 0
    for (index, sample) in samples.enumerated() {
      let phase = 2 * Float.pi * frequency * Float(index) / 16_000
      sine += sample * sin(phase)
      cosine += sample * cos(phase)
    }
    return sine * sine + cosine * cosine
  }
}
