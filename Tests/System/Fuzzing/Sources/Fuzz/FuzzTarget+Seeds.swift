internal import AnechoicAPI
internal import AudioCore
internal import AudioFiles
internal import Foundation
@testable internal import Operations
@testable internal import SessionWire
internal import SwiftProtobuf

extension FuzzTarget {
  /// Returns valid inputs from which libFuzzer starts.
  func seeds() -> [[UInt8]] {
    switch self {
    case .session:
      return Self.starts.flatMap { start in
        [
          SessionInput.bytes([start] + Self.requests),
          SessionInput.bytes([start] + Self.audioRequests),
          SessionInput.bytes([start] + Self.packetRequests),
        ]
      }
    case .recording: return Self.starts.map { Self.recording($0.start) }
    case .audio:
      return ["wav", "flac", "ogg"].flatMap { ending in
        [SampleEncoding.s16, .f32].compactMap { Self.audioFile(ending, $0) }
      }
    case .certificate:
      return [
        Array("-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n".utf8),
        Array(
          "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n".utf8),
      ]
    case .configuration:
      return [
        Array(
          """
          server: {address: "127.0.0.1:50051", name: "kiosk"}
          session: &s
            labels: {a: b}
            config: {preferred_mic_mode: MIC_MODE_STANDARD}
          audio: {microphone: {device: default, rate: 48000}}
          mute: {chime: true}
          """.utf8)
      ]
    case .websocket: return Self.webSocketInputs
    }
  }

  /// Starts with both pacings, with few inputs and with all inputs.
  private static var starts: [Anechoic_V1_ProcessRequest] {
    let format = Anechoic_V1_AudioFormat.with {
      $0.encoding = .pcmS16Le
      $0.sampleRateHz = 8000
      $0.channelCount = 1
    }
    var all = Anechoic_V1_Start.with {
      $0.inputs.microphone = format
      $0.inputs.reference = format
      $0.inputs.farEnd = format
      $0.inputs.otherAudio = format
      $0.outputs.playback = format
      $0.outputs.chunkDuration = .init(seconds: 0, nanos: 20_000_000)
      $0.statsInterval = .init(seconds: 0, nanos: 100_000_000)
      $0.config.voiceActivityDetection.enabled = true
      $0.config.mute.gesturePolicy = .ask
      $0.config.otherAudioDucking.advancedDuckingEnabled = true
      $0.config.preferredInjectionMode = .spokenAudio
    }
    let realTime = all
    all.pacing = .mediaClock
    all.inputs.clearReference()
    let few = Anechoic_V1_Start.with {
      $0.inputs.microphone = format
      $0.inputs.microphone.sampleRateHz = 16000
      $0.outputs.processed.encoding = .pcmF32Le
      $0.outputs.processed.sampleRateHz = 44100
      $0.outputs.processed.channelCount = 2
    }
    let opus = Anechoic_V1_AudioFormat.with {
      $0.encoding = .opus
      $0.sampleRateHz = 16000
      $0.channelCount = 1
    }
    let packets = Anechoic_V1_Start.with {
      $0.inputs.microphone = opus
      $0.inputs.farEnd = opus
      $0.outputs.playback = opus
      $0.pacing = .mediaClock
    }
    return [all, realTime, few, packets].map { start in .with { $0.start = start } }
  }

  private static var audioRequests: [Anechoic_V1_ProcessRequest] {
    (0..<8).map { index in
      .with {
        let samples = Data((0..<320).map { UInt8(truncatingIfNeeded: $0 &* (index + 3)) })
        $0.audio.microphone.samples = samples
        $0.audio.microphone.firstSample = Int64(index * 200)
        $0.audio.reference.samples = samples
        $0.audio.reference.deviceTimeNs = Int64(index) * 20_000_000
        if index == 5 { $0.audio.microphone.gapBefore = .xrun }
      }
    }
  }

  /// Opus packets: a frame of 10 ms and of 20 ms, two frames, silence, a truncated one and an empty one.
  private static var packetRequests: [Anechoic_V1_ProcessRequest] {
    let bytes = (0..<60).map { UInt8(truncatingIfNeeded: $0 &* 73) }
    let packets: [[UInt8]] = [
      [0xB0] + bytes, [0x48] + bytes, [0x49] + bytes, [0xB8], [0x4B, 0x3F] + bytes, [],
    ]
    return packets.map { packet in
      .with {
        $0.audio.farEnd.samples = Data(packet)
        $0.audio.microphone.samples = Data(packet)
      }
    }
  }

  /// One request of each kind, with audio between them.
  private static var requests: [Anechoic_V1_ProcessRequest] {
    let samples = Data(repeating: 7, count: 160)
    let others: [Anechoic_V1_ProcessRequest] = [
      .with {
        $0.control.setMute = .with {
          $0.muted = true; $0.ifGeneration = 0
        }
      },
      .with {
        $0.control.atSample = 100
        $0.control.updateConfig.config.preferredMicMode = .voiceIsolation
        $0.control.updateConfig.updateMask.paths = ["preferred_mic_mode", "voice_processing"]
      },
      .with { $0.control.clearPlayback_p = .init() },
      .with { $0.control.decideMuteGesture.gestureID = "g" },
      .with { $0.control.decideInjectionPermission.client = "c" },
      .with {
        $0.playbackReport.firstSample = 80
        $0.playbackReport.deviceTimeNs = 10_000_000
        $0.playbackReport.silenceSamples = 8
        $0.playbackReport.ratePpm = 20
      },
      .with {
        $0.deviceReport.routeChanged.reason = .newDevice
        $0.deviceReport.routeChanged.current.input.portID = "usb"
      },
      .with {
        $0.deviceReport.interruption.began = true
        $0.deviceReport.interruption.reason = .deviceBusy
      },
    ]
    return others.flatMap { request -> [Anechoic_V1_ProcessRequest] in
      [
        request,
        .with {
          $0.audio.microphone.samples = samples
          $0.audio.farEnd.samples = samples
          $0.audio.otherAudio.samples = samples
        },
      ]
    }
  }

  /// The requests as texts, audio, frames with both, and the request that opens a WebSocket.
  private static var webSocketInputs: [[UInt8]] {
    let texts = (starts + requests).compactMap { try? $0.jsonUTF8Bytes() as [UInt8] }
    // A microphone with a first sample and a device time, and the other side, 8 samples each.
    let samples = [UInt8](repeating: 7, count: 16)
    let audio: [UInt8] =
      [1, 3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0] + samples
      + [3, 0, 1, 0, 16, 0, 0, 0] + samples
    let messages =
      texts.map { WebSocketMessage(.text, $0) } + [
        WebSocketMessage(.binary, audio)
      ]
    let frames = messages.flatMap { WebSocketFrames.message($0, from: .server) }
    let parts: [UInt8] = [0x01, 2, 0x7B, 0x7D, 0x89, 1, 1, 0x80, 0, 0x88, 2, 3, 0xE8]
    let request = """
      GET /v1/process HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
      Sec-WebSocket-Protocol: anechoic.v1, anechoic.bearer.x\r\n\r\n
      """
    return texts.map { WebSocketInput.text.bytes($0) } + [
      WebSocketInput.text.bytes(Array(#"{"end":{}}"#.utf8)), WebSocketInput.audio.bytes(audio),
      WebSocketInput.framesOfServer.bytes(frames), WebSocketInput.framesOfServer.bytes(parts),
      WebSocketInput.frames.bytes(messages.flatMap { WebSocketFrames.message($0, from: .client) }),
      WebSocketInput.request.bytes(Array(request.utf8)),
    ]
  }

  private static func recording(_ start: Anechoic_V1_Start) -> [UInt8] {
    let client = Anechoic_V1_RecordedClient.with { $0.name = "c" }
    var acts: [Anechoic_V1_RecordedAct] = requests.map { request in .with { $0.request = request } }
    acts += [
      .with {
        $0.gesture = .with {
          $0.client = client; $0.gestureID = "g"
        }
      },
      .with {
        $0.permissionRequest = .with {
          $0.client = client; $0.usageDescription = "u"
        }
      },
      .with {
        $0.injection = .with {
          $0.injectionID = "i"; $0.begunBy = "c"
        }
      },
      .with {
        $0.injection.injectionID = "i"
        $0.injection.piece.processed = Data(count: 640)
        $0.injection.piece.playback = Data(count: 640)
      },
      .with {
        $0.injection = .with {
          $0.injectionID = "i"; $0.completed = true
        }
      },
      .with {
        $0.withheldSamples = 160; $0.request.audio.microphone = .init()
      },
      .with { $0.turn = .init() }, .with { $0.microphoneStopped = .init() },
      .with { $0.draining = .init(seconds: 1, nanos: 0) },
      .with {
        $0.end = .with {
          $0.reason = .clientClosed; $0.flushed = true
        }
      },
      .with { $0.digest.processedSamples = 1 },
    ]
    let header = Anechoic_V1_RecordingHeader.with {
      $0.start = start
      $0.injectionAllowed = true
    }
    return RecordingFormat.magic + RecordingFormat.delimited(header)
      + acts.flatMap { RecordingFormat.delimited($0) }
  }

  private static func audioFile(_ ending: String, _ encoding: SampleEncoding) -> [UInt8]? {
    let path = NSTemporaryDirectory() + "fuzz-seed-\(getpid()).\(ending)"
    defer { unlink(path) }
    let format = AudioFormat(encoding: encoding, rate: .hz16000, channelCount: 1)
    do {
      let writer = try AudioFileWriter(path: path, format: format)
      try writer.write([UInt8](repeating: 3, count: 320 * format.bytesPerSampleFrame))
    } catch {
      return nil
    }
    return (try? Data(contentsOf: URL(fileURLWithPath: path))).map(Array.init)
  }
}
