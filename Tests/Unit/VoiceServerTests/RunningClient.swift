import AnechoicAPI
import AudioCore
import Foundation
import GRPCTransport
import SwiftProtobuf
import Synchronization
import Testing
import TestTime
import VoiceClient

/// A media client that sends its microphone 10 ms at a time until it is stopped.
final class RunningClient: Sendable {
  let session: String
  private let stream: ProcessStream
  private let isOver = Atomic(false)
  private let framesHeard = Atomic(0)
  private let framesGone = Atomic(0)
  private let microphone: [UInt8]
  private let slackFrames: Int
  private let pause: Duration
  private let add: @Sendable (inout Anechoic_V1_AudioInput) -> Void
  private let replies = Mutex<[Anechoic_V1_Control]>([])

  private init(
    _ server: TestServer, _ start: Anechoic_V1_Start, _ microphone: [UInt8], slackFrames: Int,
    pause: Duration, _ add: @escaping @Sendable (inout Anechoic_V1_AudioInput) -> Void
  ) async throws {
    stream = try await server.client.process(start)
    session = stream.started.session
    self.microphone = microphone
    self.slackFrames = slackFrames
    self.pause = pause
    self.add = add
  }

  /// Runs a session while `body` acts on it. Returns everything that the session sent. `microphone`
  /// is repeated. `add` can add to each 10 ms or change them. At most `slackFrames` frames wait for
  /// their answer, and the client pauses after each frame.
  static func run(
    _ server: TestServer, _ start: Anechoic_V1_Start = .mediaClock(),
    microphone: [UInt8] = AudioFormat.s16.babble(3000), slackFrames: Int = 0,
    pause: Duration = .milliseconds(1),
    adding add: @escaping @Sendable (inout Anechoic_V1_AudioInput) -> Void = { _ in },
    _ body: (RunningClient, SessionsClient) async throws -> Void
  ) async throws -> Recording {
    let client = try await RunningClient(
      server, start, microphone, slackFrames: slackFrames, pause: pause, add)
    let steering = SessionsClient(server: server.address, clientName: "olga")
    async let running = client.send()
    do {
      try await body(client, steering)
    } catch {
      client.stop()
      _ = try? await running
      throw error
    }
    client.stop()
    return try await running
  }

  /// The secret with which another device joins the session.
  var joinToken: Data { stream.started.joinToken }

  /// The secret with which another call continues the session.
  var resumeToken: Data { stream.started.resumeToken }

  /// The number of frames that were answered.
  var framesAnswered: Int { framesHeard.load(ordering: .relaxed) }

  /// The number of frames that were sent.
  var framesSent: Int { framesGone.load(ordering: .relaxed) }

  func stop() { isOver.store(true, ordering: .relaxed) }

  /// Waits until this many more frames were answered.
  func waitForFrames(more count: Int) async throws {
    let last = framesHeard.load(ordering: .relaxed) + count
    try await eventually("\(session) processes \(count) frames") {
      framesHeard.load(ordering: .relaxed) >= last
    }
  }

  /// Sends a control with the next audio.
  func submit(_ control: Anechoic_V1_Control) {
    replies.withLock { $0.append(control) }
  }

  private func send() async throws -> Recording {
    let size = AudioFormat.s16.bytes(10)
    var recording = Recording()
    recording.started = stream.started
    var frame = 0
    do {
      repeat {
        for control in replies.withLock({ replies in
          defer { replies = [] }
          return replies
        }) {
          try await stream.send(control)
        }
        let offset = frame * size % (microphone.count - size)
        frame += 1
        var audio = Anechoic_V1_AudioInput.with {
          $0.microphone.samples = Data(microphone[offset..<offset + size])
        }
        add(&audio)
        try await stream.send(audio)
        framesGone.store(frame, ordering: .relaxed)
        let awaited = (frame - slackFrames) * size
        while recording.processed.count < awaited, let response = try await stream.receive() {
          recording.record(response)
        }
        framesHeard.store(frame, ordering: .relaxed)
        // Gives other tasks time, so that the session does not advance by hours.
        try await realTime(pause)
      } while !isOver.load(ordering: .relaxed) && recording.endReason == nil
      stream.finish()
    } catch is Status {
      // `receive` throws the same error.
    }
    do {
      while let response = try await stream.receive() { recording.record(response) }
    } catch let status as Status {
      recording.status = status
    }
    return recording
  }
}
