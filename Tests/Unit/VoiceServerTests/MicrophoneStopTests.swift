import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import TestTime
import Testing
import VoiceClient

@testable import VoiceServer

/// A microphone that stops while other inputs of its session go on.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct MicrophoneStopTests {
  private let start = ContinuousClock.now

  @Test func onlyOthersThatGoOnTellThatTheMicrophoneHasStopped() {
    var stop = MicrophoneStop()
    stop.microphoneArrived(at: start)
    let told = (1...200).filter { stop.othersArrived(at: start + .milliseconds(20) * $0) }
    #expect(told == [50])
    stop.microphoneArrived(at: start + .seconds(5))
    let again = (251...310).filter { stop.othersArrived(at: start + .milliseconds(20) * $0) }
    #expect(again == [300])
  }

  @Test(arguments: [400, 1000, 1200, 1500, 1600, 4000])
  func aConnectionThatWasHeldUpIsNoStop(milliseconds: Int) {
    var stop = MicrophoneStop()
    stop.microphoneArrived(at: start)
    let end = start + .milliseconds(milliseconds)
    let first = stop.othersArrived(at: end)
    stop.microphoneArrived(at: end)
    let next = stop.othersArrived(at: end + .milliseconds(20))
    #expect(!first && !next)
  }

  @Test func longChunksOfOthersTellItLater() {
    var stop = MicrophoneStop()
    stop.microphoneArrived(at: start)
    let told = (1...5).filter { stop.othersArrived(at: start + .seconds($0)) }
    #expect(told == [2])
  }

  @Test func aMicrophoneThatHasNeverCome() {
    var stop = MicrophoneStop()
    let told = (0...100).filter { stop.othersArrived(at: start + .milliseconds(20) * $0) }
    #expect(told == [50])
  }

  /// Reference and far ends go on for 6 s. No input may wait for longer than 5 s, and a named far end not
  /// for longer than 2 s.
  @Test func theSessionGoesOnWhenTheMicrophoneIsBack() async throws {
    try await TestServer.run { server in
      var start = Anechoic_V1_Start.mediaClock(reference: .s16)
      start.pacing = .realTime
      start.inputs.farEnd = start.inputs.reference
      start.inputs.farEnds = [.with { ($0.farEndID, $0.format) = ("bob", start.inputs.reference) }]
      start.outputs.playback = start.inputs.reference
      let stream = try await server.client.process(start)
      async let sending: Void = send(on: stream)
      var recording = Recording()
      while let response = try await stream.receive() { recording.record(response) }
      try await sending
      #expect(recording.frames.count == 120)
      #expect(recording.events.last?.sessionEnded.reason == .clientClosed)
    }
  }

  /// Sends 0.4 s of all inputs, 6 s without the microphone, and 0.8 s of all inputs.
  private func send(on stream: ProcessStream) async throws {
    let (samples, metronome) = (Data(count: 640), Metronome(every: .milliseconds(20)))
    for index in 0..<360 {
      try await metronome.beat(index)
      try await stream.send(
        .with {
          $0.reference.samples = samples
          $0.farEnd.samples = samples
          $0.farEnds = [.with { ($0.farEndID, $0.audio.samples) = ("bob", samples) }]
          if index < 20 || index >= 320 { $0.microphone.samples = samples }
        })
    }
    stream.finish()
  }
}
