import AnechoicAPI
import AudioCore
import Foundation
import SessionWire
import SwiftProtobuf
import TestAudio
import Testing
import VoiceServer

/// Invalid recordings: the replay reports the fault and never crashes.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct HostileRecordingTests {
  private static let magic = Data("anechoic recording 1\n".utf8)

  @Test(arguments: [
    ("", RecordingError.notARecording), ("RIFF", .notARecording),
    ("anechoic recording 2\n", .otherVersion), ("anechoic recording", .cutOff),
    ("anechoic recording 1", .cutOff), ("anechoic recording 1\n", .cutOff),
    ("anechoic recording 1\n\u{5}abc", .cutOff), ("anechoic recording 1\n\u{3}abc", .damaged),
  ])
  func aFileThatIsNotARecordingIsReported(text: String, error: RecordingError) {
    #expect(throws: error) { try Replay(Data(text.utf8)) }
  }

  @Test func aLengthBeyondAllBoundsIsDamage() {
    for length in [
      [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], [0xFF, 0xFF, 0xFF, 0x7F],
      [UInt8](repeating: 0x80, count: 20),
    ] {
      #expect(throws: RecordingError.damaged) { try Replay(Self.magic + length) }
    }
  }

  @Test func aTruncatedRecordingIsReplayedAsFarAsPossible() async throws {
    let file = try await Self.call().file
    let whole = try Replay(file).processed
    for count in stride(from: file.count - 1, to: Self.magic.count, by: -997) {
      do {
        let replay = try Replay(file.prefix(count))
        let outcome = try replay.outcome
        #expect(outcome.fault == .cutOff && outcome.differsBy == nil)
        #expect(whole.starts(with: replay.processed))
      } catch let error as RecordingError {
        #expect(error == .cutOff && count < 1000)
      }
    }
  }

  /// The digest at the end of the recording is its last one.
  @Test func aRecordingTruncatedNearItsEndIsReportedToo() async throws {
    let file = try await Self.call().file
    for count in file.count - 150..<file.count {
      let outcome = try Replay(file.prefix(count)).outcome
      #expect(outcome.fault == .cutOff && outcome.differsBy == nil)
    }
    #expect(try Replay(file).outcome.fault == nil)
  }

  @Test func actsAfterTheEndAreDamage() async throws {
    let file = try await Self.call().file
    let acts: [Anechoic_V1_RecordedAct] = [
      .with { $0.turn = .init() }, .with { $0.end = .init() }, .with { $0.digest = .init() },
    ]
    for act in acts {
      let length = try act.serializedData().count
      let longer = try file + [UInt8(length)] + act.serializedData()
      let outcome = try Replay(longer).outcome
      #expect(outcome.fault == .damaged && outcome.digest.processedSamples == 4800)
    }
  }

  @Test func flippedInsertedAndLostBytesCauseNoCrash() async throws {
    let file = try await Self.call().file
    for seed in 0..<300 {
      var generator = SeededGenerator(seed: UInt64(seed))
      var damaged = file
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let index = Int.random(in: Self.magic.count..<damaged.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: damaged.remove(at: index)
        case 1: damaged.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        default: damaged[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        }
      }
      _ = try? Replay(damaged)
    }
  }

  @Test func impossibleActsCauseNoCrash() throws {
    for seed in 0..<150 {
      var generator = SeededGenerator(seed: UInt64(1000 + seed))
      let acts = (0..<40).map { _ in Self.act(&generator) }
      _ = try Replay(Self.file(acts))
    }
  }

  @Test func anImpossibleStartIsReported() throws {
    for start in [
      Anechoic_V1_Start(), .mediaClock().with { $0.inputs.microphone.sampleRateHz = 1 },
      .mediaClock().with { $0.statsInterval.nanos = .min },
      .mediaClock().with { $0.outputs.chunkDuration.nanos = .min },
      .mediaClock().with { $0.config.mute.gestureDecisionTimeout = .init(seconds: .min) },
    ] {
      let error = #expect(throws: RecordingError.self) { try Replay(Self.file([], start)) }
      #expect(error?.description.hasPrefix("cannot be started: ") == true)
    }
  }

  /// Returns a short call in which a bit of everything happens.
  private static func call() async throws -> RecordedCall {
    try await RecordedCall.run { server in
      let start = RecordedCall.start.with {
        $0.inputs.otherAudio = Anechoic_V1_AudioFormat(.s16)
        $0.outputs.playback = Anechoic_V1_AudioFormat(.s16)
      }
      var requests = Anechoic_V1_ProcessRequest.audio(
        microphone: AudioFormat.s16.babble(300), .s16)
      for index in requests.indices {
        requests[index].audio.otherAudio.samples = Data(count: 640)
      }
      requests.insert(
        .control(
          .with {
            $0.atSample = 4000
            $0.setMute.muted = true
          }), at: 2)
      requests.insert(.update(1, ["preferred_mic_mode"]), at: 4)
      return try await server.record(start, requests)
    }
  }

  private static func file(
    _ acts: [Anechoic_V1_RecordedAct],
    _ start: Anechoic_V1_Start = InjectedSession.start.with {
      $0.inputs.farEnd = Anechoic_V1_AudioFormat(.s16)
      $0.config.mute.gesturePolicy = .ask
    }
  ) throws -> Data {
    let header = Anechoic_V1_RecordingHeader.with {
      $0.start = start
      $0.injectionAllowed = true
    }
    let stream = OutputStream.toMemory()
    stream.open()
    try BinaryDelimited.serialize(message: header, to: stream)
    for act in acts { try BinaryDelimited.serialize(message: act, to: stream) }
    let written = stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
    return magic + (written ?? Data())
  }

  private static func act(_ generator: inout SeededGenerator) -> Anechoic_V1_RecordedAct {
    let ids = ["", "a", "b"]
    let id = ids.randomElement(using: &generator) ?? ""
    let numbers: [Int64] = [.min, -1, 0, 1, 160, 5000, 1 << 40, .max]
    let number = numbers.randomElement(using: &generator) ?? 0
    let isOn = Bool.random(using: &generator)
    let client = Anechoic_V1_RecordedClient.with {
      $0.name = id
      $0.isMediaClient = isOn
    }
    let bytes = Data((0..<Int.random(in: 0...700, using: &generator)).map { UInt8($0 & 255) })
    return .with {
      $0.timeNs = number
      if isOn { $0.withheldSamples = UInt32(truncatingIfNeeded: number) }
      switch Int.random(in: 0..<17, using: &generator) {
      case 0: $0.request.audio.microphone.firstSample = number
      case 1, 2: $0.request.audio.microphone.samples = bytes
      case 3:
        $0.request.audio.farEnd = .with {
          $0.samples = bytes
          $0.firstSample = number
          $0.deviceTimeNs = number
        }
      case 4:
        $0.request.playbackReport = .with {
          $0.deviceTimeNs = number
          $0.silenceSamples = .max
        }
      case 5: $0.turn = .init()
      case 6:
        $0.control = .with {
          $0.client = client
          $0.control.atSample = number
          $0.control.setMute.muted = isOn
        }
      case 7:
        $0.control = .with {
          $0.client = client
          $0.control.decideInjectionPermission = .with {
            $0.client = id
            $0.grant = true
          }
        }
      case 8:
        $0.gesture = .with {
          $0.client = client
          $0.gestureID = id
        }
      case 9: $0.gestureExpired = id
      case 10: $0.permissionRequest.client = client
      case 11:
        $0.injection = .with {
          $0.injectionID = id
          $0.begunBy = id
        }
      case 12:
        $0.injection = .with {
          $0.injectionID = id
          $0.piece.processed = bytes
          $0.piece.playback = bytes + bytes
        }
      case 13:
        $0.injection = .with {
          $0.injectionID = id
          if isOn { $0.completed = true } else { $0.cancelled = true }
        }
      case 15: $0.resumed = .with { if isOn { $0.microphoneSample = number } }
      case 14: $0.draining = .init(seconds: number, nanos: isOn ? .max : .min)
      default: if isOn { $0.microphoneStopped.alone = number % 2 == 0 } else { $0.digest = .init() }
      }
    }
  }
}
