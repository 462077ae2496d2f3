// swift-tools-version: 6.2

import PackageDescription

let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

// By name: what pkg-config says of grpc++ is too long for a command line.
let grpc: [LinkerSetting] = [
  .linkedLibrary("grpc++"), .linkedLibrary("grpc"), .linkedLibrary("gpr"),
  .linkedLibrary("absl_synchronization"),
]

// The C++ programs are built by SwiftPM too, so that the baseline gets the compiler and the
// options that the C++ below GRPCTransport gets.
let package = Package(
  name: "anechoic-benchmarks",
  dependencies: [
    .package(name: "anechoic", path: ".."),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
  ],
  targets: [
    .target(name: "BenchmarkSupport"),
    .target(
      name: "BareEngine", dependencies: ["BenchmarkSupport"],
      cxxSettings: [
        .unsafeFlags(["-I/usr/include/webrtc_audio_processing"]),
        .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
      ],
      linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
    .executableTarget(
      name: "EchoServerCxx", dependencies: ["BareEngine", "BenchmarkSupport"],
      linkerSettings: grpc),
    .executableTarget(
      name: "EchoServerSwift",
      dependencies: [.product(name: "GRPCTransport", package: "anechoic")], swiftSettings: swift),
    .executableTarget(
      name: "LoadClient", dependencies: ["BenchmarkSupport"], linkerSettings: grpc),
    .executableTarget(
      name: "WatchedSession",
      dependencies: [.product(name: "VoiceClient", package: "anechoic")], swiftSettings: swift),
    .target(name: "CHeap"),
    .target(
      name: "PassThroughEngine",
      dependencies: [.product(name: "VoiceSessions", package: "anechoic")], swiftSettings: swift),
    .executableTarget(
      name: "SessionLoop",
      dependencies: [
        "CHeap", "PassThroughEngine", .product(name: "VoiceSessions", package: "anechoic"),
        .product(name: "AudioFiles", package: "anechoic"),
      ], swiftSettings: swift),
    .executableTarget(
      name: "VoiceService",
      dependencies: [
        "PassThroughEngine", .product(name: "VoiceServer", package: "anechoic"),
        .product(name: "VoiceSessions", package: "anechoic"),
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "AlignmentBench",
      dependencies: [
        "AcousticSimulator", .product(name: "VoiceSessions", package: "anechoic"),
        .product(name: "VoiceServer", package: "anechoic"),
      ], swiftSettings: swift),
    .executableTarget(name: "AlignmentSoak", dependencies: ["ClockSoak"], swiftSettings: swift),
    .executableTarget(
      name: "EdgeBench",
      dependencies: [
        "EdgeRig", .product(name: "VoiceServer", package: "anechoic"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: swift),
    // Links to folders of Tests/Support, which no product has.
    .target(
      name: "AcousticSimulator",
      dependencies: [.product(name: "VoiceSessions", package: "anechoic")], swiftSettings: swift),
    .target(
      name: "ClockSoak", dependencies: [.product(name: "VoiceSessions", package: "anechoic")],
      swiftSettings: swift),
    .target(name: "CSoundRig"),
    .target(
      name: "SoundRig", dependencies: ["CSoundRig", "AcousticSimulator"], swiftSettings: swift),
    .target(
      name: "EdgeRig",
      dependencies: ["SoundRig", .product(name: "VoiceClient", package: "anechoic")],
      swiftSettings: swift),
    .executableTarget(name: "EngineLoop", dependencies: ["BareEngine", "BenchmarkSupport"]),
  ],
  cxxLanguageStandard: .cxx17
)
