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

/// Of code that goes through every sample: in a debug build tests would wait for it.
let quick = swift + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
  name: "anechoic",
  products: [
    .library(name: "GRPCTransport", targets: ["GRPCTransport"]),
    .library(name: "VoiceClient", targets: ["VoiceClient"]),
    .library(name: "LiveVoice", targets: ["LiveVoice"]),
    .library(name: "VoiceServer", targets: ["VoiceServer"]),
    .library(name: "AudioFiles", targets: ["AudioFiles"]),
    .library(
      name: "Alignment",
      targets: ["Alignment", "AcousticSimulator", "SpeechSynthesis", "Resampling"]),
    .library(
      name: "EdgeRig",
      targets: ["EdgeRig", "SoundRig", "AnechoicAPI", "SpeechSynthesis", "Resampling", "AudioCore"]),
    .library(
      name: "FuzzedParts",
      targets: [
        "SessionRecording", "SessionConversions", "VoiceSessions", "VoiceEngines", "BundledEngines",
        "VoiceEdge", "AnechoicAPI", "GRPCTransport", "AudioFiles", "AudioCore",
      ]),
    .library(
      name: "VoiceSessions",
      targets: [
        "VoiceSessions", "WebRTCEngine", "AnechoicEngine", "VoiceEngines", "SpatialAudio",
        "OpusCodec", "AudioCore", "ClockSoak",
      ]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: [
    .target(name: "AudioCore", swiftSettings: quick),
    .systemLibrary(name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "Digests", dependencies: ["COpenSSL"], swiftSettings: swift),
    .target(name: "RegularFiles", swiftSettings: swift),
    .systemLibrary(
      name: "CSampleRate", pkgConfig: "samplerate", providers: [.apt(["libsamplerate0-dev"])]),
    .target(name: "Resampling", dependencies: ["AudioCore", "CSampleRate"], swiftSettings: quick),
    .systemLibrary(name: "COpus", pkgConfig: "opus", providers: [.apt(["libopus-dev"])]),
    .target(name: "OpusCodec", dependencies: ["AudioCore", "COpus"], swiftSettings: quick),
    .target(
      name: "CWebRTCAudioProcessing",
      cxxSettings: [
        // What pkg-config says of the library, whose -D flags SwiftPM refuses to take from there.
        .unsafeFlags(["-I/usr/include/webrtc_audio_processing"]),
        .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
      ],
      linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
    .target(
      name: "CKernels", cSettings: [.unsafeFlags(["-O3"], .when(configuration: .debug))]),
    .target(name: "Spectral", dependencies: ["CKernels"], swiftSettings: quick),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "EchoMeasures", dependencies: ["AudioCore"], swiftSettings: quick),
    .target(
      name: "Reports", dependencies: ["Spectral", "AudioCore", "Digests", "CZlib"],
      swiftSettings: quick),
    .target(
      name: "Tables", dependencies: ["CommandLineSupport", "CZlib"], swiftSettings: quick),
    .target(
      name: "Alignment", dependencies: ["Spectral", "Resampling", "AudioCore"],
      swiftSettings: quick),
    .systemLibrary(
      name: "CMysofa", pkgConfig: "libmysofa", providers: [.apt(["libmysofa-dev"])]),
    .target(
      name: "SpatialAudio",
      dependencies: ["Alignment", "Spectral", "CKernels", "AudioCore", "CMysofa", "Digests"],
      swiftSettings: quick),
    .target(name: "CProfileReader"),
    .target(
      name: "ProfileReader", dependencies: ["CProfileReader", "SpatialAudio"], swiftSettings: swift),
    .target(
      name: "Inference", dependencies: ["CKernels", "Spectral", "Digests"], swiftSettings: quick),
    .target(
      name: "AdaptiveFilter", dependencies: ["Inference", "CKernels", "Spectral"],
      swiftSettings: quick),
    // C23 has #embed.
    .target(name: "CEngineWeights", cSettings: [.unsafeFlags(["-std=c23"])]),
    .target(
      name: "AnechoicEngine",
      dependencies: [
        "VoiceEngines", "AdaptiveFilter", "Inference", "CKernels", "CEngineWeights", "Spectral",
        "Resampling", "AudioCore", "Digests",
      ],
      swiftSettings: quick),
    // Renders what the network is trained on with the engine's own code.
    .executableTarget(
      name: "render-scenes", dependencies: ["AnechoicEngine", "Inference"],
      path: "training/RenderScenes", swiftSettings: quick),
    .target(name: "VoiceEngines", dependencies: ["AudioCore"], swiftSettings: quick),
    .target(
      name: "WebRTCEngine", dependencies: ["VoiceEngines", "AudioCore", "CWebRTCAudioProcessing"],
      swiftSettings: swift),
    .target(
      name: "BundledEngines", dependencies: ["VoiceEngines", "WebRTCEngine", "AnechoicEngine"],
      swiftSettings: swift),
    .target(
      name: "VoiceSessions",
      dependencies: [
        "Alignment", "SpatialAudio", "Spectral", "VoiceEngines", "Resampling", "OpusCodec",
        "AudioCore",
      ],
      swiftSettings: quick),
    .target(
      name: "CGRPC",
      linkerSettings: [
        // By name: what pkg-config says of grpc++ is too long for a command line.
        .linkedLibrary("grpc++"), .linkedLibrary("grpc"), .linkedLibrary("gpr"),
        .linkedLibrary("absl_synchronization"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
      ]),
    .target(name: "GRPCTransport", dependencies: ["CGRPC"], swiftSettings: swift),
    .target(name: "AnechoicAPI", dependencies: [protobuf], swiftSettings: swift),
    .target(
      name: "SessionConversions",
      dependencies: [
        "AnechoicAPI", "VoiceSessions", "SpatialAudio", "VoiceEngines", "AudioCore", protobuf,
      ],
      swiftSettings: swift),
    .target(
      name: "SessionRecording",
      dependencies: [
        "SessionConversions", "AnechoicAPI", "VoiceSessions", "VoiceEngines", "SpatialAudio",
        "AudioCore", "Digests", protobuf,
      ],
      swiftSettings: swift),
    .systemLibrary(name: "CMalloc"),
    .target(
      name: "Identity",
      dependencies: ["AnechoicAPI", "COpenSSL", "GRPCTransport", "RegularFiles"],
      swiftSettings: swift),
    .target(
      name: "Telemetry",
      dependencies: [
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .target(name: "Sockets", swiftSettings: swift),
    .target(
      name: "Administration",
      dependencies: [
        "Telemetry", "Sockets",
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    // C23 has #embed.
    .target(name: "CLivePage", cSettings: [.unsafeFlags(["-std=c23"])]),
    .target(
      name: "LivePage",
      dependencies: ["CLivePage", "Administration", "VoiceServer", "Identity", "GRPCTransport"],
      swiftSettings: swift),
    .target(
      name: "LayeredSettings",
      dependencies: ["AnechoicAPI", .product(name: "Yams", package: "Yams")],
      swiftSettings: swift),
    // The rules of automatic switching, without I/O.
    .target(name: "Routing", swiftSettings: swift),
    .target(
      name: "VoiceServer",
      dependencies: [
        "Routing", "Identity", "Telemetry", .product(name: "Logging", package: "swift-log"),
        "SessionRecording", "SessionConversions", "AnechoicAPI", "GRPCTransport", "VoiceSessions",
        "VoiceEngines", "Resampling", "SpeechSynthesis", "SpatialAudio", "ProfileReader",
        "AudioCore", "RegularFiles",
        "CMalloc", "Digests", protobuf,
      ],
      swiftSettings: swift),
    // Without pkgConfig, which would link the library: it is loaded anew for each text.
    .systemLibrary(name: "CESpeak", providers: [.apt(["libespeak-ng-dev"])]),
    .target(name: "SpeechSynthesis", dependencies: ["CESpeak"], swiftSettings: swift),
    .systemLibrary(name: "CSndFile", pkgConfig: "sndfile", providers: [.apt(["libsndfile1-dev"])]),
    .target(name: "AudioFiles", dependencies: ["AudioCore", "CSndFile"], swiftSettings: swift),
    .target(
      name: "VoiceClient",
      dependencies: ["AnechoicAPI", "GRPCTransport", "RegularFiles", protobuf],
      swiftSettings: swift),
    .target(
      name: "LiveVoice",
      dependencies: [
        "VoiceClient", "OpusCodec", "AudioCore", "AnechoicAPI", "GRPCTransport", protobuf,
      ],
      swiftSettings: swift),
    .target(
      name: "AudioSocket", dependencies: ["LiveVoice", "Sockets"], swiftSettings: swift),
    .executableTarget(
      name: "anechoic-bridge",
      dependencies: [
        "AudioSocket", "LiveVoice", "AudioCore", "Sockets", "AnechoicAPI", "GRPCTransport",
        "CommandLineSupport", argumentParser,
      ],
      swiftSettings: swift),
    .target(name: "AudioDevices", dependencies: ["AudioCore"], swiftSettings: swift),
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .target(
      name: "ALSADevices", dependencies: ["AudioDevices", "AudioCore", "CALSA"],
      swiftSettings: swift),
    // Without pkg-config, because SwiftPM refuses its -D flag. The headers are in the usual folder.
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    .target(
      name: "PulseStreams", dependencies: ["AudioDevices", "CPulse"], swiftSettings: swift),
    .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .target(name: "DBus", dependencies: ["CDBus"], swiftSettings: swift),
    .target(
      name: "VoiceEdge",
      dependencies: [
        "DBus", "Routing", "VoiceClient", "SessionConversions", "AnechoicAPI", "GRPCTransport",
        "VoiceSessions",
        "VoiceEngines", "Alignment", "Spectral", "Resampling", "AudioFiles", "AudioDevices",
        "AudioCore", "LayeredSettings", "RegularFiles", protobuf,
      ],
      swiftSettings: quick),
    .target(
      name: "CommandLineSupport",
      dependencies: [
        "VoiceClient", "AnechoicAPI", "GRPCTransport", "RegularFiles", argumentParser,
      ],
      swiftSettings: swift),
    .target(
      name: "ServerSettings",
      dependencies: [
        "LayeredSettings", "VoiceServer", "ProfileReader", "Identity", "Telemetry",
        "BundledEngines",
        "VoiceEngines", "GRPCTransport", "CommandLineSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "anechoic-server",
      dependencies: [
        "ServerSettings", "Sockets", "VoiceServer", "ProfileReader", "LivePage", "Administration",
        "Telemetry",
        "Identity",
        "LayeredSettings",
        "VoiceClient", "AnechoicAPI", "GRPCTransport", "CommandLineSupport",
        argumentParser, .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "anechoic-edge",
      dependencies: [
        "VoiceEdge", "ALSADevices", "PulseStreams", "AudioDevices", "BundledEngines", "VoiceClient",
        "AnechoicAPI", "LayeredSettings", "GRPCTransport", "CommandLineSupport", "Telemetry",
        argumentParser,
        protobuf,
      ],
      swiftSettings: swift),
    .executableTarget(
      name: "anechoic",
      dependencies: [
        "VoiceClient", "VoiceServer", "SessionRecording", "SessionConversions", "VoiceSessions",
        "BundledEngines", "VoiceEngines", "SpatialAudio", "ProfileReader", "AnechoicAPI",
        "GRPCTransport", "AudioFiles", "OpusCodec", "AudioCore", "EchoMeasures", "Reports",
        "Tables", "CommandLineSupport", argumentParser, protobuf,
      ],
      swiftSettings: swift),
    .target(
      name: "TestEngines", dependencies: ["VoiceEngines", "AudioCore"], path: "Tests/TestEngines",
      swiftSettings: swift),
    .target(
      name: "TestAudio", dependencies: ["AudioCore"], path: "Tests/TestAudio", swiftSettings: quick),
    .target(
      name: "TestPackets", dependencies: ["OpusCodec", "AudioCore"], path: "Tests/TestPackets",
      swiftSettings: quick),
    .testTarget(
      name: "OpusCodecTests",
      dependencies: ["OpusCodec", "AnechoicAPI", "AudioCore", "TestAudio", "TestPackets"],
      swiftSettings: quick),
    .target(
      name: "AcousticSimulator", dependencies: ["Alignment", "Spectral", "AudioCore"],
      path: "Tests/AcousticSimulator",
      swiftSettings: quick),
    .target(
      name: "ClockSoak", dependencies: ["VoiceSessions", "VoiceEngines", "AudioCore"],
      path: "Tests/ClockSoak", swiftSettings: quick),
    .target(
      name: "RoomCalls",
      dependencies: ["VoiceSessions", "VoiceEngines", "AcousticSimulator", "AudioCore"],
      path: "Tests/RoomCalls", swiftSettings: quick),
    .target(name: "CSoundRig", path: "Tests/CSoundRig"),
    .target(
      name: "SoundRig", dependencies: ["CSoundRig", "AcousticSimulator", "Spectral", "AudioCore"],
      path: "Tests/SoundRig", swiftSettings: quick),
    .testTarget(
      name: "SoundRigTests", dependencies: ["SoundRig", "AcousticSimulator"],
      swiftSettings: swift),
    .target(
      name: "EdgeRig", dependencies: ["SoundRig", "AnechoicAPI", "GRPCTransport", protobuf],
      path: "Tests/EdgeRig", swiftSettings: quick),
    .testTarget(
      name: "EdgeRigTests",
      dependencies: [
        "EdgeRig", "SoundRig", "AnechoicAPI", "GRPCTransport", "VoiceClient", "AudioCore",
        "TestAudio", "TestNetwork", protobuf,
      ],
      swiftSettings: swift),
    .target(
      name: "ScriptedDevices", dependencies: ["AudioDevices", "AudioCore"],
      path: "Tests/ScriptedDevices", swiftSettings: quick),
    .target(
      name: "ScriptedSessions", dependencies: ["AnechoicAPI", "GRPCTransport", protobuf],
      path: "Tests/ScriptedSessions", swiftSettings: swift),
    .target(name: "TestNetwork", path: "Tests/TestNetwork", swiftSettings: swift),
    .target(name: "CAllocationCounter", path: "Tests/CAllocationCounter"),
    .testTarget(
      name: "AllocationTests",
      dependencies: [
        "VoiceServer", "Identity", "Telemetry", "SessionConversions", "VoiceSessions",
        "BundledEngines", "VoiceEngines", "AnechoicAPI", "GRPCTransport", "Alignment",
        "AcousticSimulator", "SpatialAudio",
        "AudioCore", "TestAudio", "TestPackets", "VoiceEdge", "AudioDevices", "CAllocationCounter",
        "LiveVoice", protobuf,
      ],
      swiftSettings: swift),
    .testTarget(
      name: "AlignmentTests",
      dependencies: [
        "Alignment", "AcousticSimulator", "Resampling", "AudioCore", "TestAudio",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "AudioCoreTests",
      dependencies: ["AudioCore", "Resampling", "AudioFiles"],
      swiftSettings: swift),
    .testTarget(
      name: "AudioDevicesTests",
      dependencies: ["AudioDevices", "AudioCore", "ScriptedDevices", "TestAudio"],
      swiftSettings: swift),
    .testTarget(
      name: "VoiceEdgeTests",
      dependencies: [
        "VoiceEdge", "DBus", "Routing", "ScriptedDevices", "ScriptedSessions", "AudioDevices",
        "VoiceServer",
        "VoiceClient",
        "SessionConversions", "BundledEngines", "VoiceEngines", "AnechoicAPI", "GRPCTransport",
        "LayeredSettings", "AudioFiles", "AudioCore", "TestAudio", "TestNetwork", "TestVoices",
        protobuf,
      ],
      swiftSettings: swift),
    .testTarget(
      name: "SpeechSynthesisTests", dependencies: ["SpeechSynthesis"], swiftSettings: swift),
    .testTarget(
      name: "VoiceEnginesTests",
      dependencies: [
        "VoiceEngines", "BundledEngines", "WebRTCEngine", "TestEngines", "AudioCore", "TestAudio",
      ],
      swiftSettings: swift),
    .target(
      name: "TestVoices", dependencies: ["SpeechSynthesis", "Resampling", "AudioCore"],
      path: "Tests/TestVoices", swiftSettings: swift),
    .target(
      name: "EngineRuns", dependencies: ["VoiceEngines", "AudioCore"], path: "Tests/EngineRuns",
      swiftSettings: quick),
    .testTarget(
      name: "EngineContractTests",
      dependencies: [
        "EngineRuns", "BundledEngines", "VoiceEngines", "AudioCore", "TestAudio", "TestVoices",
      ],
      swiftSettings: quick),
    .testTarget(
      name: "WebRTCEngineTests",
      dependencies: ["EngineRuns", "WebRTCEngine", "VoiceEngines", "AudioCore", "TestAudio"],
      swiftSettings: swift),
    .testTarget(
      name: "VoiceSessionsTests",
      dependencies: [
        "VoiceSessions", "SpatialAudio", "BundledEngines", "VoiceEngines", "AcousticSimulator",
        "ClockSoak", "RoomCalls", "SpeechSynthesis", "Resampling", "OpusCodec", "AudioCore",
        "TestAudio",
        "TestPackets", "TestVoices",
      ],
      swiftSettings: swift),
    .testTarget(
      name: "SpectralTests", dependencies: ["Spectral", "TestAudio"], swiftSettings: swift),
    .testTarget(
      name: "SpatialAudioTests", dependencies: ["SpatialAudio", "AudioCore", "TestAudio"],
      swiftSettings: quick),
    .testTarget(
      name: "EchoMeasuresTests", dependencies: ["EchoMeasures", "AudioCore", "TestAudio"],
      swiftSettings: swift),
    .testTarget(
      name: "ReportsTests", dependencies: ["Reports", "AudioCore", "TestAudio"],
      swiftSettings: swift),
    .testTarget(
      name: "TablesTests", dependencies: ["Tables", "CommandLineSupport"], swiftSettings: swift),
    .testTarget(
      name: "InferenceTests",
      dependencies: ["Inference", "Spectral", "CKernels", "Digests", "TestAudio"],
      swiftSettings: swift),
    .testTarget(name: "DigestsTests", dependencies: ["Digests"], swiftSettings: swift),
    .testTarget(
      name: "RegularFilesTests", dependencies: ["RegularFiles"], swiftSettings: swift),
    .testTarget(
      name: "AnechoicEngineTests",
      dependencies: [
        "AnechoicEngine", "Inference", "Spectral", "VoiceEngines", "AudioCore", "TestAudio",
        "TestVoices", "EngineRuns", "AcousticSimulator",
      ],
      resources: [.copy("Stored")], swiftSettings: swift),
    .testTarget(
      name: "AdaptiveFilterTests",
      dependencies: ["AdaptiveFilter", "Inference", "Spectral", "TestAudio"],
      swiftSettings: swift),
    .testTarget(
      name: "AnechoicAPITests", dependencies: ["AnechoicAPI", protobuf], swiftSettings: swift),
    .testTarget(
      name: "SessionConversionsTests",
      dependencies: [
        "SessionConversions", "AnechoicAPI", "VoiceSessions", "SpatialAudio", "VoiceEngines",
        "AudioCore", protobuf,
      ],
      swiftSettings: swift),
    .target(
      name: "TestCertificates", path: "Tests/TestCertificates", swiftSettings: swift),
    .testTarget(
      name: "GRPCTransportTests",
      dependencies: ["GRPCTransport", "TestAudio", "TestCertificates"],
      swiftSettings: swift),
    .target(
      name: "TestTokens",
      dependencies: ["TestCertificates", "COpenSSL"],
      path: "Tests/TestTokens", swiftSettings: swift),
    .testTarget(
      name: "IdentityTests",
      dependencies: ["Identity", "GRPCTransport", "TestCertificates", "TestTokens"],
      swiftSettings: swift),
    .testTarget(
      name: "TelemetryTests",
      dependencies: [
        "Telemetry", .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "AdministrationTests",
      dependencies: [
        "Administration", "Sockets", "Telemetry", "TestNetwork",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "LivePageTests",
      dependencies: [
        "LivePage", "Administration", "VoiceServer", "VoiceClient", "Identity", "Telemetry",
        "BundledEngines", "VoiceEngines", "TestTokens", "TestNetwork", "AnechoicAPI",
        "GRPCTransport", protobuf, .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: swift),
    .testTarget(
      name: "LayeredSettingsTests", dependencies: ["LayeredSettings"], swiftSettings: swift),
    .testTarget(
      name: "ServerSettingsTests",
      dependencies: ["ServerSettings", "LayeredSettings", "VoiceServer"],
      swiftSettings: swift),
    .testTarget(name: "RoutingTests", dependencies: ["Routing"], swiftSettings: swift),
    .testTarget(
      name: "VoiceServerTests",
      dependencies: [
        "Routing", "Identity", "Telemetry", "TestTokens", "TestCertificates",
        .product(name: "Logging", package: "swift-log"),
        "VoiceServer", "SessionRecording", "SessionConversions", "VoiceClient", "VoiceSessions",
        "SpatialAudio", "ProfileReader", "VoiceEngines", "BundledEngines", "WebRTCEngine",
        "TestEngines", "AnechoicAPI", "GRPCTransport",
        "AcousticSimulator", "AudioCore", "TestAudio", "TestPackets", "TestNetwork", "TestVoices",
        protobuf,
      ],
      swiftSettings: swift),
    .testTarget(name: "AudioSocketTests", dependencies: ["AudioSocket"], swiftSettings: swift),
    .testTarget(
      name: "LiveVoiceTests",
      dependencies: [
        "LiveVoice", "VoiceClient", "ScriptedSessions", "AnechoicAPI", "GRPCTransport", protobuf,
      ],
      swiftSettings: swift),
    .testTarget(
      name: "CommandLineTests",
      dependencies: [
        "AnechoicAPI", "AudioFiles", "AudioCore", "CommandLineSupport", "VoiceServer",
        "TestAudio", "TestVoices", "TestCertificates", "TestNetwork", "TestTokens", "SoundRig",
      ],
      swiftSettings: swift),
  ],
  cxxLanguageStandard: .cxx17
)
