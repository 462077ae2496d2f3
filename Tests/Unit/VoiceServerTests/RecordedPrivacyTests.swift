import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceClient
import VoiceServer

/// A search for the sound of a muted microphone in recordings.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct RecordedPrivacyTests {
  private let format = AudioFormat.s16
  /// Noise in which no two consecutive samples occur twice.
  private let microphone = encode([Signals.noise(80_000, amplitude: 0.9, seed: 21)], .s16)

  @Test func theRecordingHasTheAudioBeforeAndAfterMuteAndNoneBetween() async throws {
    let muted = 20_001..<48_003
    let call = try await RecordedCall.run { server in
      try await server.record(
        RecordedCall.start,
        mute(true, at: 20_001)
          + audio(0..<80_000) {
            $0.last?.audio.microphone.firstSample == 40_000 ? mute(false, at: 48_003) : []
          })
    }
    expectNothing(of: muted, in: call.file)
    expect(0..<19_000, in: call.file)
    expect(49_000..<80_000, in: call.file)
    let replay = try call.replay()
    let outcome = try replay.outcome
    let withheld = try #require(outcome.withheldFrom)
    #expect((19_000...20_001).contains(withheld) && outcome.fault == nil)
    let before = Int(withheld) * format.bytesPerSampleFrame
    #expect(replay.processed.prefix(before) == call.heard.processed.prefix(before))
    #expect(outcome.differsBy.map { $0 > withheld } ?? true)
    #expect(replay.processed.count == call.heard.processed.count)
  }

  @Test func aSessionThatIsMutedFromTheStartToTheEndLeavesNothing() async throws {
    let call = try await RecordedCall.run { server in
      try await server.record(RecordedCall.start.with { $0.muted = true }, audio(0..<80_000))
    }
    expectNothing(of: 0..<80_000, in: call.file)
    let outcome = try call.replay().outcome
    // The recorded session and the replay both produced only silence.
    #expect(outcome.differsBy == nil && outcome.fault == nil && outcome.withheldFrom == 0)
  }

  @Test func labelsAreNotInIt() async throws {
    let call = try await RecordedCall.run { server in
      let start = RecordedCall.start.with { $0.labels = ["patient": "Olga-4711"] }
      return try await server.record(start, audio(0..<800))
    }
    try call.expectSame()
    for text in ["patient", "Olga-4711"] {
      #expect(call.file.firstRange(of: Data(text.utf8)) == nil)
    }
  }

  @Test func repeatedSamplesAreStillMuted() async throws {
    let call = try await RecordedCall.run { server in
      try await server.record(
        RecordedCall.start.with { $0.muted = true },
        audio(0..<16_000) + mute(false, at: 16_000) + audio(16_000..<70_000) + audio(0..<16_000)
          + audio(70_000..<80_000))
    }
    #expect(call.heard.processed.count == microphone.count)
    expectNothing(of: 0..<16_000, in: call.file)
    expect(17_000..<80_000, in: call.file)
  }

  /// A chunk without samples moves the time of the session on, and those that follow need no index.
  @Test func aSessionWhoseTimeMovesOnWithoutSamplesIsStillMuted() async throws {
    let call = try await RecordedCall.run { server in
      var requests = audio(0..<16_000)
      requests.append(
        .with {
          $0.audio.microphone = .init()
          $0.audio.microphone.firstSample = 60_000
        })
      // These follow at 60,000.
      requests += audio(16_000..<24_000).withoutIndexes + mute(true, at: 68_000)
      requests += audio(24_000..<80_000).withoutIndexes
      return try await server.record(RecordedCall.start, requests)
    }
    expectNothing(of: 24_001..<80_000, in: call.file)
    expect(0..<23_000, in: call.file)
    #expect(try call.replay().outcome.withheldFrom.map { (67_000...68_000).contains($0) } == true)
  }

  /// A client that does not count gives one index to all of its samples.
  @Test func aMicrophoneThatDoesNotCountIsRecordedAndMuted() async throws {
    let call = try await RecordedCall.run { server in
      func still(_ samples: Range<Int>) -> [Anechoic_V1_ProcessRequest] {
        audio(samples).map { request in
          var request = request
          request.audio.microphone.firstSample = 0
          return request
        }
      }
      let requests =
        still(0..<40_000) + [.control(.with { $0.setMute.muted = true })] + still(40_000..<80_000)
      return try await server.record(RecordedCall.start, requests)
    }
    expect(4_000..<38_000, in: call.file)
    expectNothing(of: 41_000..<80_000, in: call.file)
  }

  /// A client that counts anew, as with another device, has its samples behind the last ones.
  @Test func aMicrophoneThatCountsAnewIsRecordedAndMuted() async throws {
    let start = RecordedCall.start.with { $0.pacing = .realTime }
    let call = try await RecordedCall.run { server in
      var requests = audio(0..<56_000)
      requests += audio(56_000..<68_000, from: 0)
      requests += [.control(.with { $0.setMute.muted = true })]
      requests += audio(68_000..<80_000, from: 12_000)
      return try await server.record(start, requests)
    }
    // The first 200 ms that seem to be repeated are dropped.
    expect(60_000..<66_000, in: call.file)
    expectNothing(of: 69_000..<80_000, in: call.file)
    let withheld = try #require(call.replay().outcome.withheldFrom)
    #expect((56_000..<68_000).contains(withheld))
  }

  @Test func aMuteFromAnotherConnectionHoldsFromItsSampleOn() async throws {
    let call = try await RecordedCall.run { server in
      try await RunningClient.run(
        server, RecordedCall.start, microphone: microphone
      ) { media, steering in
        try await media.waitForFrames(more: 30)
        _ = try await steering.setMute(media.session, muted: true)
        try await media.waitForFrames(more: 30)
      }
    }
    let change = try #require(call.heard.events.first { $0.muteChanged.hasState })
    let sample = Int(change.microphoneSample)
    let end = call.heard.processed.count / format.bytesPerSampleFrame
    try #require(sample > 1000 && end > sample + 1000)
    expect(0..<sample, in: call.file)
    expectNothing(of: sample..<min(end, 79_000), in: call.file)
    let heard = call.heard.processed.prefix(sample * format.bytesPerSampleFrame)
    #expect(try call.replay().processed.starts(with: heard))
  }

  @Test func unprocessedAudioIsNotRecorded() async throws {
    let call = try await RecordedCall.run { server in
      let start = RecordedCall.start.with {
        $0.inputs.reference = Anechoic_V1_AudioFormat(format)
      }
      // The session waits for the reference until the call ends.
      let call = server.call()
      try await call.send(Anechoic_V1_ProcessRequest.start(start).serializedBytes())
      for request in audio(0..<800) { try await call.send(request.serializedBytes()) }
      try await call.send(Anechoic_V1_ProcessRequest().serializedBytes())
      do { while try await call.receive() != nil {} } catch is Status {}
      return Recording()
    }
    let processed = try Int(call.replay().outcome.digest.processedSamples)
    #expect(processed < 800)
    expectNothing(of: processed..<800, in: call.file)
  }

  /// Returns a part of the microphone in chunks of 33 ms, with the client's indexes from `index` on, or those
  /// of the microphone. `after` returns the acts that follow each chunk.
  private func audio(
    _ samples: Range<Int>, from index: Int? = nil,
    after: ([Anechoic_V1_ProcessRequest]) -> [Anechoic_V1_ProcessRequest] = { _ in [] }
  ) -> [Anechoic_V1_ProcessRequest] {
    let shift = index.map { $0 - samples.lowerBound } ?? 0
    return stride(from: samples.lowerBound, to: samples.upperBound, by: 500).reduce(into: []) {
      requests, first in
      let end = min(first + 500, samples.upperBound)
      requests.append(
        .with {
          $0.audio.microphone.samples = Data(microphone[first * 2..<end * 2])
          $0.audio.microphone.firstSample = Int64(first + shift)
        })
      requests += after(requests)
    }
  }

  private func mute(_ muted: Bool, at sample: Int64) -> [Anechoic_V1_ProcessRequest] {
    [
      .control(
        .with {
          $0.atSample = sample
          $0.setMute.muted = muted
        })
    ]
  }

  /// Expects that a file contains no three consecutive samples of a part of the microphone.
  private func expectNothing(
    of samples: Range<Int>, in file: Data, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let windows = windows(of: samples)
    var window: UInt64 = 0
    var found = 0
    for byte in file {
      window = (window << 8 | UInt64(byte)) & 0xFFFF_FFFF_FFFF
      if windows.contains(window) { found += 1 }
    }
    #expect(found == 0, sourceLocation: sourceLocation)
  }

  private func windows(of samples: Range<Int>) -> Set<UInt64> {
    Set(
      samples.dropLast(2).map { sample in
        microphone[sample * 2..<sample * 2 + 6].reduce(0) { $0 << 8 | UInt64($1) }
      })
  }

  /// Expects that a file contains a part of the microphone, in pieces of 20 samples.
  private func expect(
    _ samples: Range<Int>, in file: Data, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let missing = stride(from: samples.lowerBound, to: samples.upperBound - 20, by: 2000).filter {
      file.firstRange(of: Data(microphone[$0 * 2..<($0 + 20) * 2])) == nil
    }
    #expect(missing.isEmpty, sourceLocation: sourceLocation)
  }
}

extension [Anechoic_V1_ProcessRequest] {
  fileprivate var withoutIndexes: Self {
    map {
      var request = $0
      request.audio.microphone.clearFirstSample()
      return request
    }
  }
}
