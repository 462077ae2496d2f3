internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
internal import SessionWire
internal import SwiftProtobuf
internal import VoiceClient

/// Speech for injection into a session.
enum Speech: Sendable {
  case text(String, voice: String)
  case file(path: String)

  /// The length of a chunk of audio, in frames of 10 ms.
  private static let framesPerChunk = 10

  /// Throws if the file contains no audio.
  init(file path: String) throws {
    _ = try AudioFileReader(path: path)
    self = .file(path: path)
  }

  /// Injects all of the speech. Returns the duration that was heard.
  func inject(
    into session: String, of client: SessionsClient, onlyHere: Bool
  ) async throws -> Google_Protobuf_Duration {
    var start = Anechoic_V1_InjectionStart()
    start.name = session
    if onlyHere { start.preferredInjectionMode = .none }
    start.injectionID = UUID().uuidString.lowercased()
    let stream: InjectionStream
    switch self {
    case .text(let text, let voice):
      start.voice = voice
      stream = try await client.injectSpeech(start)
      try await stream.send(text: text)
    case .file(let path):
      let file = try AudioFileReader(path: path)
      start.format = Anechoic_V1_AudioFormat(file.format)
      stream = try await client.injectSpeech(start)
      try await send(file, on: stream)
    }
    return try await stream.finish().injected
  }

  private func send(_ file: AudioFileReader, on stream: InjectionStream) async throws {
    let count = Self.framesPerChunk * file.format.rate.samplesPerFrame
    while true {
      let samples = try file.read(samples: count)
      guard !samples.isEmpty else { return }
      try await stream.send(Anechoic_V1_AudioChunk.with { $0.samples = Data(samples) })
    }
  }
}
