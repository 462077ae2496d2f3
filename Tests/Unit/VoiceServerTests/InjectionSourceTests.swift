import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import Testing
import VoiceSessions

@testable import VoiceServer

/// The pieces in which a session gets injected audio.
@Suite(.timeLimit(.minutes(1)))
struct InjectionSourceTests {
  private static let format = AudioFormat(encoding: .s16, rate: .hz8000, channelCount: 1)
  /// A little more than 1 s, and no whole number of frames.
  private static let audio = Array(format.babble(1000)) + [1, 2, 3, 4, 5, 6]

  @Test(arguments: [1, 7, 79, 80, 81, 800])
  func chunksOfAnyLengthSoundTheSame(samples: Int) async throws {
    let pieces = try await Self.pieces(chunk: samples)
    let expected = try await Self.pieces(chunk: 8000)
    #expect(pieces.flatMap(\.processed) == expected.flatMap(\.processed))
    #expect(pieces.flatMap(\.playback) == expected.flatMap(\.playback))
    #expect(pieces.flatMap(\.playback).count == (Self.audio.count / 2) * 6)
  }

  /// Each piece is work for the thread of the session.
  @Test func chunksOfOneSampleBecomePiecesOfTenMilliseconds() async throws {
    let pieces = try await Self.pieces(chunk: 1)
    #expect(pieces.count <= 1000 / 10 + 2)
  }

  /// Sends the audio in chunks of this many samples. Returns what a session gets: the processed
  /// output at 16 kHz and the playback at 48 kHz.
  private static func pieces(chunk samples: Int) async throws -> [InjectedSpeech] {
    let start = Anechoic_V1_Start.mediaClock().with {
      $0.outputs.playback = Anechoic_V1_AudioFormat(.widest)
    }
    let source = try InjectionSource(
      .with { $0.format = Anechoic_V1_AudioFormat(format) }, SessionSetup(start))
    var pieces: [InjectedSpeech] = []
    for offset in stride(from: 0, to: audio.count, by: 2 * samples) {
      let chunk = audio[offset...].prefix(2 * samples)
      try await source.accept(.audio(.with { $0.samples = Data(chunk) }))
      while let piece = try await source.nextPiece(isComplete: false) { pieces.append(piece) }
    }
    while let piece = try await source.nextPiece(isComplete: true) { pieces.append(piece) }
    if let rest = await source.rest() { pieces.append(rest) }
    return pieces
  }
}
