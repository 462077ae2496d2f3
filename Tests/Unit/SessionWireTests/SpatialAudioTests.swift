import AnechoicAPI
import AudioCore
import Foundation
import SpatialAudio
import SwiftProtobuf
import Testing
import VoiceSessions

@testable import SessionWire

/// The conversions of named far ends and their places.
struct SpatialAudioTests {
  private static let start = Anechoic_V1_Start.with {
    $0.inputs.microphone = .with {
      $0.encoding = .pcmF32Le
      $0.sampleRateHz = 16_000
      $0.channelCount = 1
    }
    $0.outputs.playback = $0.inputs.microphone
  }

  private static func farEnd(_ id: String) -> Anechoic_V1_Start.Inputs.FarEnd {
    .with {
      $0.farEndID = id
      $0.format = start.inputs.microphone
    }
  }

  @Test func sixteenFarEndsAreTaken() throws {
    var start = Self.start
    start.inputs.farEnds = (1...16).map { Self.farEnd("guest-\($0)") }
    let setup = try SessionSetup(start)
    #expect(setup.farEnds.map(\.id) == start.inputs.farEnds.map(\.farEndID))
    #expect(!setup.canRender, "the playback is mono")
    start.outputs.playback.channelCount = 2
    #expect(try SessionSetup(start).canRender)
  }

  private typealias Change<Message> = @Sendable (inout Message) -> Void

  private static let wrongStarts: [(path: String, change: Change<Anechoic_V1_Start>)] =
    [
      ("start.inputs.far_ends", { $0.inputs.farEnds = (1...17).map { farEnd("guest-\($0)") } }),
      (
        "start.inputs.far_ends[1].far_end_id",
        { $0.inputs.farEnds = [farEnd("a"), farEnd("a")] }
      ),
      ("start.inputs.far_ends[0].far_end_id", { $0.inputs.farEnds = [farEnd("")] }),
      ("start.inputs.far_ends[0].far_end_id", { $0.inputs.farEnds = [farEnd("a b")] }),
      (
        "start.inputs.far_ends[0].format.encoding",
        { $0.inputs.farEnds = [.with { $0.farEndID = "a" }] }
      ),
      (
        "start.inputs.far_ends",
        {
          $0.inputs.farEnds = [farEnd("a")]
          $0.outputs.clearPlayback()
        }
      ),
    ]

  @Test func aWrongFarEndIsRefusedWithItsField() {
    for (path, change) in Self.wrongStarts {
      var start = Self.start
      change(&start)
      let fault = #expect(throws: InvalidFieldError.self) { try SessionSetup(start) }
      #expect(fault?.path == path && fault?.isUnsupported == false)
    }
  }

  @Test func placesAreTakenAndShownAsTheyAre() throws {
    let config = Anechoic_V1_SessionConfig.with {
      $0.spatialAudio.enabled = true
      $0.spatialAudio.headTracked = true
      $0.spatialAudio.earlyReflectionsDisabled = true
      $0.spatialAudio.sources = [
        .with {
          $0.farEndID = "alice"
          $0.azimuthDegrees = -45
          $0.elevationDegrees = 10
          $0.distanceMeters = 2
          $0.gainDb = -3
        }
      ]
    }
    let taken = try SessionConfiguration(config, path: "config")
    #expect(Anechoic_V1_SessionConfig(taken).spatialAudio == config.spatialAudio)
    #expect(!Anechoic_V1_SessionConfig(SessionConfiguration()).hasSpatialAudio)
    #expect(taken.spatial.sources.first?.placement.distance == 2)
    let near = try SessionConfiguration(
      .with { $0.spatialAudio.sources = [.with { $0.farEndID = "alice" }] }, path: "config")
    #expect(near.spatial.sources.first?.placement.distance == 1)
  }

  private static let wrongPlaces:
    [(field: String, change: Change<Anechoic_V1_SpatialAudio.Source>)] = [
      ("azimuth_degrees", { $0.azimuthDegrees = .nan }),
      ("azimuth_degrees", { $0.azimuthDegrees = 361 }),
      ("elevation_degrees", { $0.elevationDegrees = -.infinity }),
      ("elevation_degrees", { $0.elevationDegrees = 91 }),
      ("distance_meters", { $0.distanceMeters = 0 }),
      ("distance_meters", { $0.distanceMeters = -1 }),
      ("distance_meters", { $0.distanceMeters = 1e30 }),
      ("distance_meters", { $0.distanceMeters = .nan }),
      ("gain_db", { $0.gainDb = 13 }), ("gain_db", { $0.gainDb = .nan }),
      ("far_end_id", { $0.farEndID = "" }),
    ]

  @Test func aWrongPlaceIsRefusedWithItsField() {
    for (field, change) in Self.wrongPlaces {
      var source = Anechoic_V1_SpatialAudio.Source.with { $0.farEndID = "alice" }
      change(&source)
      let config = Anechoic_V1_SessionConfig.with { $0.spatialAudio.sources = [source] }
      let fault = #expect(throws: InvalidFieldError.self) {
        try SessionConfiguration(config, path: "config")
      }
      #expect(fault?.path == "config.spatial_audio.sources[0].\(field)")
    }
    let many = Anechoic_V1_SessionConfig.with {
      $0.spatialAudio.sources = (0...16).map { index in .with { $0.farEndID = "guest-\(index)" } }
    }
    let fault = #expect(throws: InvalidFieldError.self) {
      try SessionConfiguration(many, path: "config")
    }
    #expect(fault?.path == "config.spatial_audio.sources")
  }

  private static let wrongPoses: [(path: String, pose: Anechoic_V1_HeadPose)] = [
    ("head_pose", .init()),
    ("head_pose.quaternion", .with { $0.quaternion = .init() }),
    ("head_pose.quaternion", .with { $0.quaternion.w = .nan }),
    ("head_pose.quaternion", .with { $0.quaternion.x = .infinity }),
    ("head_pose.angles", .with { $0.angles.yawDegrees = .nan }),
    ("head_pose.angles", .with { $0.angles.rollDegrees = 400 }),
  ]

  @Test func aPoseThatIsNoRotationIsRefused() throws {
    for (path, pose) in Self.wrongPoses {
      let fault = #expect(throws: InvalidFieldError.self) {
        try HeadPose(pose, path: "head_pose")
      }
      #expect(fault?.path == path)
    }
    _ = try HeadPose(.with { $0.angles = .init() }, path: "head_pose")
  }

  /// The frame path reads the message in place.
  @Test func audioOfNamedFarEndsIsReadInPlace() throws {
    let message = Anechoic_V1_ProcessRequest.with {
      $0.audio.microphone.samples = Data([1, 2])
      $0.audio.farEnds = (0..<16).map { index in
        .with {
          $0.farEndID = "guest-\(index)"
          $0.audio.samples = Data(repeating: UInt8(index), count: 4)
          $0.audio.firstSample = Int64(index)
        }
      }
    }
    let bytes: [UInt8] = try message.serializedBytes()
    try bytes.withUnsafeBytes { bytes in
      let request = try #require(AudioRequest(bytes))
      #expect(request.farEndCount == 16)
      for index in 0..<request.farEndCount {
        #expect(request.farEnds[index].id.elementsEqual("guest-\(index)".utf8))
        #expect(request.farEnds[index].chunk.firstSample == Int64(index))
        let samples = Array(request.farEnds[index].chunk.samples)
        #expect(samples == [UInt8](repeating: UInt8(index), count: 4))
      }
    }
  }
}
