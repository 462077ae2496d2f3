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

/// For code that goes through every sample: tests of its debug build would be slow without
/// optimization.
let quick = swift + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")

/// The commit that scripts/build tells programs to name. Only the hexadecimal digits of a commit, and
/// "-changed", are accepted, because the text becomes source code.
let commit: String = {
  let given = Context.environment["ANECHOIC_COMMIT"] ?? ""
  let digits = given.hasSuffix("-changed") ? given.dropLast("-changed".count) : given[...]
  return !digits.isEmpty && digits.allSatisfy(\.isHexDigit) ? given : "unknown"
}()

/// A library of Debian. `package` is its name for pkg-config.
func system(_ name: String, _ package: String? = nil, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: package, providers: [.apt([apt])])
}

/// A module of Swift in a folder of the same name.
func module(
  _ name: String, in folder: String, settings: [SwiftSetting] = swift,
  _ dependencies: [Target.Dependency]
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "\(folder)/\(name)", swiftSettings: settings)
}

/// The tests of a module, in a folder of the same name.
func tests(
  _ name: String, in folder: String = "Tests/Unit", settings: [SwiftSetting] = swift,
  resources: [Resource] = [], _ dependencies: [Target.Dependency]
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "\(folder)/\(name)", resources: resources,
    swiftSettings: settings)
}

/// The libraries that programs of others use.
let libraries: [Product] = [
  .library(name: "GRPCTransport", targets: ["GRPCTransport"]),
  .library(name: "VoiceClient", targets: ["VoiceClient"]),
  .library(name: "LiveVoice", targets: ["LiveVoice"]),
  .library(name: "VoiceServer", targets: ["VoiceServer"]),
  .library(name: "AudioFiles", targets: ["AudioFiles"]),
  .library(
    name: "VoiceSessions",
    targets: [
      "VoiceSessions", "WebRTCEngine", "AnechoicEngine", "VoiceEngines", "SpatialAudio",
      "AudioCodecs", "AudioCore",
    ]),
]

/// The parts that the packages Benchmarks and Tests/System/Fuzzing measure and attack.
let measuredParts: [Product] = [
  .library(
    name: "EchoAlignment",
    targets: ["EchoAlignment", "AcousticSimulator", "SpeechSynthesis", "AudioCodecs"]),
  .library(name: "ClockSoak", targets: ["ClockSoak"]),
  .library(
    name: "EdgeRig",
    targets: ["EdgeRig", "SoundRig", "AnechoicAPI", "SpeechSynthesis", "AudioCodecs", "AudioCore"]),
  .library(
    name: "FuzzedParts",
    targets: [
      "SessionRecording", "SessionWire", "VoiceSessions", "VoiceEngines", "BundledEngines",
      "VoiceEdge", "AnechoicAPI", "GRPCTransport", "AudioFiles", "AudioCore",
    ]),
]

/// The plug-in with which alsa-lib finds the sound cards of the tests.
let testPlugIns: [Product] = [
  .library(name: "soundcard", type: .dynamic, targets: ["CSoundCard"])
]

let systemFloor: [Target] = [
  .target(
    name: "CBuildInformation", path: "Sources/System/CBuildInformation",
    cSettings: [.define("ANECHOIC_COMMIT", to: "\"\(commit)\"")]),
  system("CALSA", "alsa", apt: "libasound2-dev"),
  system("CDBus", "dbus-1", apt: "libdbus-1-dev"),
  .systemLibrary(name: "CEpoll", path: "Sources/System/CEpoll"),
  .systemLibrary(name: "CPipe", path: "Sources/System/CPipe"),
  // Without pkg-config, which would link the library: it is loaded anew for each text.
  system("CESpeak", apt: "libespeak-ng-dev"),
  .systemLibrary(name: "CMalloc", path: "Sources/System/CMalloc"),
  system("CMysofa", "libmysofa", apt: "libmysofa-dev"),
  system("COpenSSL", "libcrypto", apt: "libssl-dev"),
  system("COpus", "opus", apt: "libopus-dev"),
  // Without pkg-config, because SwiftPM refuses its -D flag. The headers are in the usual folder.
  system("CPulse", apt: "libpulse-dev"),
  system("CSampleRate", "samplerate", apt: "libsamplerate0-dev"),
  system("CSndFile", "sndfile", apt: "libsndfile1-dev"),
  system("CZlib", "zlib", apt: "zlib1g-dev"),
  .target(
    name: "CGRPC", path: "Sources/System/CGRPC",
    linkerSettings: [
      // By name: what pkg-config says of grpc++ is too long for a command line.
      .linkedLibrary("grpc++"), .linkedLibrary("grpc"), .linkedLibrary("gpr"),
      .linkedLibrary("absl_synchronization"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
    ]),
  .target(name: "CProfileReader", path: "Sources/System/CProfileReader"),
  .target(
    name: "CWebRTCAudioProcessing", path: "Sources/System/CWebRTCAudioProcessing",
    cxxSettings: [
      // These flags are the ones that pkg-config prints. SwiftPM refuses its -D flags.
      .unsafeFlags(["-I/usr/include/webrtc_audio_processing"]),
      .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
    ],
    linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
  module("LinuxSystem", in: "Sources/System", ["CEpoll", "COpenSSL"]),
]

let audio: [Target] = [
  .target(
    name: "CKernels", path: "Sources/Audio/CKernels",
    cSettings: [.unsafeFlags(["-O3"], .when(configuration: .debug))]),
  module("AudioCore", in: "Sources/Audio", settings: quick, ["CKernels", "LinuxSystem"]),
  module(
    "AudioCodecs", in: "Sources/Audio", settings: quick, ["AudioCore", "COpus", "CSampleRate"]),
  module("AudioFiles", in: "Sources/Audio", ["AudioCore", "CPipe", "CSndFile"]),
  module("EchoAlignment", in: "Sources/Audio", settings: quick, ["AudioCodecs", "AudioCore"]),
  module(
    "SpatialAudio", in: "Sources/Audio", settings: quick,
    ["EchoAlignment", "AudioCore", "CKernels", "CMysofa", "CProfileReader", "LinuxSystem"]),
]

let engines: [Target] = [
  module("VoiceEngines", in: "Sources/Engines", settings: quick, ["AudioCore"]),
  .target(name: "CEngineWeights", path: "Sources/Engines/CEngineWeights"),
  module(
    "AnechoicEngine", in: "Sources/Engines", settings: quick,
    ["VoiceEngines", "AudioCodecs", "AudioCore", "CKernels", "CEngineWeights", "LinuxSystem"]),
  module(
    "WebRTCEngine", in: "Sources/Engines", ["VoiceEngines", "AudioCore", "CWebRTCAudioProcessing"]),
  module(
    "BundledEngines", in: "Sources/Engines", ["VoiceEngines", "WebRTCEngine", "AnechoicEngine"]),
  // Renders the scenes that train the networks with the engine's own code.
  .executableTarget(
    name: "render-scenes", dependencies: ["AnechoicEngine", "AudioCore"],
    path: "training/RenderScenes",
    swiftSettings: quick),
  // Computes the features of turns with the session's own code.
  .executableTarget(
    name: "render-turns",
    dependencies: ["VoiceSessions", "BundledEngines", "VoiceEngines", "AudioCore"],
    path: "training/RenderTurns", swiftSettings: quick),
  .executableTarget(
    name: "render-isolation", dependencies: ["AnechoicEngine", "VoiceEngines", "AudioCore"],
    path: "training/RenderIsolation", swiftSettings: quick),
]

let clients: [Target] = [
  module("AnechoicAPI", in: "clients/swift", [protobuf]),
  module("GRPCTransport", in: "clients/swift", ["CGRPC"]),
  module(
    "VoiceClient", in: "clients/swift", ["AnechoicAPI", "GRPCTransport", "LinuxSystem", protobuf]),
  module(
    "LiveVoice", in: "clients/swift",
    ["VoiceClient", "AnechoicAPI", "GRPCTransport", "AudioCodecs", "AudioCore", protobuf]),
]

let session: [Target] = [
  module(
    "VoiceSessions", in: "Sources/Session", settings: quick,
    [
      "VoiceEngines", "CEngineWeights", "SpatialAudio", "EchoAlignment", "AudioCodecs", "AudioCore",
    ]),
  module(
    "SessionWire", in: "Sources/Session",
    ["AnechoicAPI", "VoiceSessions", "VoiceEngines", "SpatialAudio", "AudioCore", protobuf]),
  module(
    "SessionRecording", in: "Sources/Session",
    [
      "SessionWire", "AnechoicAPI", "VoiceSessions", "VoiceEngines", "SpatialAudio", "AudioCore",
      "LinuxSystem", protobuf,
    ]),
]

let common: [Target] = [
  module(
    "Settings", in: "Sources/Common", ["AnechoicAPI", .product(name: "Yams", package: "Yams")]),
  module("Operations", in: "Sources/Common", ["LinuxSystem", logging]),
  module(
    "CommandLineSupport", in: "Sources/Common",
    [
      "VoiceClient", "AnechoicAPI", "GRPCTransport", "LinuxSystem", "CBuildInformation",
      argumentParser,
    ]),
  module(
    "CommandLineSettings", in: "Sources/Common",
    ["CommandLineSupport", "Settings", argumentParser]),
]

let server: [Target] = [
  module("SpeechSynthesis", in: "Sources/Server", ["CESpeak"]),
  module(
    "Authentication", in: "Sources/Server",
    ["AnechoicAPI", "GRPCTransport", "LinuxSystem", "COpenSSL"]),
  .target(name: "CLivePage", path: "Sources/Server/CLivePage"),
  module(
    "VoiceServer", in: "Sources/Server",
    [
      "Authentication", "Operations", "SpeechSynthesis", "SessionRecording", "SessionWire",
      "VoiceSessions", "VoiceEngines", "SpatialAudio", "AudioCodecs", "AudioCore", "AnechoicAPI",
      "GRPCTransport", "LinuxSystem", "CLivePage", "CMalloc", logging, protobuf,
    ]),
]

let edge: [Target] = [
  module("EdgeAudio", in: "Sources/Edge", ["AudioCore", "CALSA", "CPulse"]),
  module("DBus", in: "Sources/Edge", ["CDBus"]),
  module(
    "VoiceEdge", in: "Sources/Edge", settings: quick,
    [
      "EdgeAudio", "DBus", "Settings", "VoiceClient", "SessionWire", "VoiceSessions",
      "VoiceEngines", "EchoAlignment", "AudioFiles", "AudioCodecs", "AudioCore", "AnechoicAPI",
      "GRPCTransport", "LinuxSystem", protobuf,
    ]),
]

let programs: [Target] = [
  .executableTarget(
    name: "anechoic",
    dependencies: [
      "CommandLineSupport", "VoiceServer", "VoiceClient", "SessionRecording", "SessionWire",
      "VoiceSessions", "BundledEngines", "VoiceEngines", "SpatialAudio", "AudioFiles",
      "AudioCodecs", "AudioCore", "AnechoicAPI", "GRPCTransport", "LinuxSystem", "CZlib",
      argumentParser, protobuf,
    ], path: "Sources/Programs/anechoic", swiftSettings: quick),
  .executableTarget(
    name: "anechoic-server",
    dependencies: [
      "CommandLineSettings", "CommandLineSupport", "Settings", "Operations", "VoiceServer",
      "Authentication",
      "BundledEngines", "VoiceEngines", "SpatialAudio", "AudioCodecs", "AudioCore", "VoiceClient",
      "AnechoicAPI", "GRPCTransport", "LinuxSystem", argumentParser, logging, protobuf,
    ], path: "Sources/Programs/anechoic-server", swiftSettings: swift),
  .executableTarget(
    name: "anechoic-edge",
    dependencies: [
      "CommandLineSettings", "CommandLineSupport", "Settings", "Operations", "VoiceEdge",
      "EdgeAudio", "BundledEngines", "VoiceEngines", "VoiceClient", "AnechoicAPI", "GRPCTransport",
      argumentParser, protobuf,
    ], path: "Sources/Programs/anechoic-edge", swiftSettings: swift),
  .executableTarget(
    name: "anechoic-bridge",
    dependencies: [
      "CommandLineSupport", "Operations", "LiveVoice", "AudioCodecs", "AudioCore", "AnechoicAPI",
      "GRPCTransport", "LinuxSystem", argumentParser,
    ], path: "Sources/Programs/anechoic-bridge", swiftSettings: swift),
]

let testSupport: [Target] = [
  .target(name: "CAllocationCounter", path: "Tests/Support/CAllocationCounter"),
  .target(name: "CSoundRig", path: "Tests/Support/CSoundRig"),
  .target(
    name: "CSoundCard", path: "Tests/Support/CSoundCard",
    // ALSA's macros for plug-ins ask for it.
    cSettings: [.define("PIC")],
    linkerSettings: [.linkedLibrary("asound"), .linkedLibrary("m")]),
  module("TestAudio", in: "Tests/Support", settings: quick, ["AudioCore"]),
  module("TestCertificates", in: "Tests/Support", []),
  module("TestDocuments", in: "Tests/Support", ["Settings"]),
  module("TestEngines", in: "Tests/Support", ["VoiceEngines", "AudioCore"]),
  module("TestNetwork", in: "Tests/Support", []),
  module("TestPackets", in: "Tests/Support", settings: quick, ["AudioCodecs", "AudioCore"]),
  module("TestTokens", in: "Tests/Support", ["TestCertificates", "COpenSSL"]),
  module("TestVoices", in: "Tests/Support", ["SpeechSynthesis", "AudioCodecs", "AudioCore"]),
  module(
    "AcousticSimulator", in: "Tests/Support", settings: quick, ["EchoAlignment", "AudioCore"]),
  module(
    "ClockSoak", in: "Tests/Support", settings: quick,
    ["VoiceSessions", "VoiceEngines", "AudioCore"]),
  module("EngineRuns", in: "Tests/Support", settings: quick, ["VoiceEngines", "AudioCore"]),
  module(
    "RoomCalls", in: "Tests/Support", settings: quick,
    ["VoiceSessions", "VoiceEngines", "AcousticSimulator", "AudioCore"]),
  module("ScriptedDevices", in: "Tests/Support", settings: quick, ["EdgeAudio", "AudioCore"]),
  module("ScriptedSessions", in: "Tests/Support", ["AnechoicAPI", "GRPCTransport", protobuf]),
  module(
    "SoundRig", in: "Tests/Support", settings: quick,
    ["CSoundRig", "AcousticSimulator", "EchoAlignment", "AudioCore"]),
  module("SoundCards", in: "Tests/Support", settings: quick, ["CSoundCard"]),
  module(
    "EdgeRig", in: "Tests/Support", settings: quick,
    ["SoundRig", "AnechoicAPI", "GRPCTransport", protobuf]),
]

let unitTests: [Target] = [
  tests("AudioCoreTests", ["AudioCore", "AudioCodecs", "AudioFiles", "TestAudio"]),
  tests(
    "AudioCodecsTests", settings: quick,
    ["AudioCodecs", "AudioCore", "AnechoicAPI", "TestAudio", "TestPackets"]),
  tests("EchoAlignmentTests", ["EchoAlignment", "AcousticSimulator", "AudioCore", "TestAudio"]),
  tests("SpatialAudioTests", settings: quick, ["SpatialAudio", "AudioCore", "TestAudio"]),
  tests(
    "VoiceEnginesTests",
    ["VoiceEngines", "BundledEngines", "WebRTCEngine", "AudioCore", "TestEngines", "TestAudio"]),
  tests(
    "AnechoicEngineTests", resources: [.copy("Stored")],
    [
      "AnechoicEngine", "VoiceEngines", "AudioCore", "CKernels", "LinuxSystem",
      "AcousticSimulator", "EngineRuns", "TestAudio", "TestVoices",
    ]),
  tests(
    "WebRTCEngineTests", ["WebRTCEngine", "VoiceEngines", "AudioCore", "EngineRuns", "TestAudio"]),
  tests(
    "BundledEnginesTests", settings: quick,
    ["BundledEngines", "VoiceEngines", "AudioCore", "EngineRuns", "TestAudio", "TestVoices"]),
  tests(
    "VoiceSessionsTests",
    [
      "VoiceSessions", "BundledEngines", "VoiceEngines", "SpatialAudio", "AudioCodecs",
      "AudioCore", "AcousticSimulator", "ClockSoak", "RoomCalls", "TestAudio", "TestPackets",
      "TestVoices",
    ]),
  tests(
    "SessionWireTests",
    [
      "SessionWire", "AnechoicAPI", "VoiceSessions", "VoiceEngines", "SpatialAudio", "AudioCore",
      protobuf,
    ]),
  tests("AnechoicAPITests", ["AnechoicAPI", protobuf]),
  tests("GRPCTransportTests", ["GRPCTransport", "TestAudio", "TestCertificates"]),
  tests(
    "LiveVoiceTests",
    ["LiveVoice", "VoiceClient", "AnechoicAPI", "GRPCTransport", "ScriptedSessions", protobuf]),
  tests("LinuxSystemTests", ["LinuxSystem", "TestNetwork"]),
  tests("SettingsTests", ["Settings"]),
  tests("OperationsTests", ["Operations", "LinuxSystem", "TestNetwork", logging]),
  tests("SpeechSynthesisTests", ["SpeechSynthesis"]),
  tests(
    "AuthenticationTests", ["Authentication", "GRPCTransport", "TestCertificates", "TestTokens"]),
  tests(
    "VoiceServerTests",
    [
      "VoiceServer", "Authentication", "Operations", "SessionRecording", "SessionWire",
      "VoiceClient", "VoiceSessions", "BundledEngines", "WebRTCEngine", "VoiceEngines",
      "SpatialAudio", "AudioCore", "AnechoicAPI", "GRPCTransport", "AcousticSimulator",
      "TestAudio", "TestCertificates", "TestEngines", "TestNetwork", "TestPackets", "TestTokens",
      "TestVoices", logging, protobuf,
    ]),
  tests("EdgeAudioTests", ["EdgeAudio", "AudioCore", "ScriptedDevices", "TestAudio"]),
  tests(
    "VoiceEdgeTests",
    [
      "VoiceEdge", "EdgeAudio", "DBus", "Settings", "VoiceServer", "VoiceClient", "SessionWire",
      "VoiceSessions", "BundledEngines", "VoiceEngines", "AudioFiles", "AudioCore", "AnechoicAPI",
      "GRPCTransport", "ScriptedDevices", "ScriptedSessions", "TestAudio", "TestNetwork",
      "TestVoices", protobuf,
    ]),
  tests(
    "anechoicTests",
    [
      "anechoic", "CommandLineSupport", "AnechoicAPI", "AudioCore", "ScriptedSessions", "TestAudio",
      protobuf,
    ]),
  tests(
    "anechoic-serverTests",
    ["anechoic-server", "GRPCTransport", "Settings", "VoiceServer", "TestDocuments"]),
  tests(
    "anechoic-edgeTests",
    [
      "anechoic-edge", "CommandLineSettings", "VoiceEdge", "Settings", "TestDocuments",
      argumentParser,
    ]),
  tests("anechoic-bridgeTests", ["anechoic-bridge", "Operations", "AudioCodecs"]),
]

let systemTests: [Target] = [
  tests(
    "AllocationTests", in: "Tests/System",
    [
      "VoiceServer", "VoiceEdge", "EdgeAudio", "LiveVoice", "Authentication", "Operations",
      "SessionWire", "VoiceSessions", "BundledEngines", "VoiceEngines", "EchoAlignment",
      "SpatialAudio", "AudioCore", "AnechoicAPI", "GRPCTransport", "AcousticSimulator",
      "CAllocationCounter", "TestAudio", "TestPackets", protobuf,
    ]),
  tests(
    "CommandLineTests", in: "Tests/System",
    [
      "CommandLineSupport", "VoiceServer", "AnechoicAPI", "AudioFiles", "AudioCore", "SoundRig",
      "TestAudio", "TestCertificates", "TestNetwork", "TestTokens", "TestVoices",
    ]),
  tests("SoundRigTests", in: "Tests/System", ["SoundRig", "AcousticSimulator"]),
  tests(
    "EdgeRigTests", in: "Tests/System",
    [
      "EdgeRig", "SoundRig", "SoundCards", "VoiceClient", "AnechoicAPI", "GRPCTransport",
      "AudioCore", "TestAudio", "TestNetwork", protobuf,
    ]),
]

let package = Package(
  name: "anechoic",
  products: libraries + measuredParts + testPlugIns,
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: systemFloor + audio + engines + clients + session + common + server + edge
    + programs + testSupport + unitTests + systemTests,
  // C23 has #embed.
  cLanguageStandard: .gnu2x,
  cxxLanguageStandard: .cxx17
)
