// swift-tools-version: 6.2

import Foundation
import PackageDescription

let swift: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .treatAllWarnings(as: .error),
]

/// The targets that samples go through. Tests in real time need them optimized in debug builds too.
let optimized: Set = [
  "CKernels", "AudioCore", "AudioCodecs", "EchoAlignment", "SpatialAudio", "VoiceEngines",
  "AnechoicEngine", "VoiceSessions", "VoiceEdge", "anechoic", "render-scenes", "render-turns",
  "render-isolation", "TestAudio", "AcousticSimulator", "ClockSoak", "TestEngines", "RoomCalls",
  "ScriptedDevices", "SoundRig", "SoundCards", "EdgeRig", "AudioCodecsTests", "SpatialAudioTests",
  "BundledEnginesTests",
]

/// The commit that scripts/build tells programs to name. Only the hexadecimal digits of a commit, and
/// "-changed", are accepted, because the text becomes source code.
let commit: String = {
  let given = Context.environment["ANECHOIC_COMMIT"] ?? ""
  let digits = given.hasSuffix("-changed") ? given.dropLast("-changed".count) : given[...]
  return !digits.isEmpty && digits.allSatisfy(\.isHexDigit) ? given : "unknown"
}()

/// A library of Debian. `package` is its name for pkg-config.
func debian(_ name: String, _ package: String? = nil, apt: String) -> Target {
  .systemLibrary(
    name: name, path: "Sources/System/\(name)", pkgConfig: package, providers: [.apt([apt])])
}

/// Makes a target of each row of a table, with the settings that all targets have.
func targets(
  _ make: (String, [Target.Dependency]) -> Target,
  _ table: KeyValuePairs<String, [Target.Dependency]>
) -> [Target] {
  table.map { key, dependencies in
    let target = make(key, dependencies)
    target.swiftSettings = swift
    if optimized.contains(target.name) {
      target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
      target.cSettings = [.unsafeFlags(["-O3"], .when(configuration: .debug))]
    }
    return target
  }
}

/// The libraries that programs of others use.
let products: [Product] = [
  .library(name: "GRPCTransport", targets: ["GRPCTransport"]),
  .library(name: "VoiceClient", targets: ["VoiceClient", "AnechoicAPI"]),
  .library(name: "LiveVoice", targets: ["LiveVoice"]),
  .library(name: "VoiceServer", targets: ["VoiceServer", "SpeechSynthesis"]),
  .library(name: "VoiceEdge", targets: ["VoiceEdge"]),
  .library(name: "AudioFiles", targets: ["AudioFiles"]),
  .library(name: "VoiceSessions", targets: ["VoiceSessions", "SessionWire", "BundledEngines"]),
  .library(name: "soundcard", type: .dynamic, targets: ["CSoundCard"]),  // For alsa-lib, in tests.
]

/// Headers of Debian's libc.
let libc = ["CEpoll", "CMalloc", "CPipe"].map { debian($0, apt: "libc6-dev") }
/// The other libraries of Debian, and the targets in C and C++ with settings of their own.
let system: [Target] = [
  debian("CALSA", "alsa", apt: "libasound2-dev"),
  debian("CCurl", "libcurl", apt: "libcurl4-openssl-dev"),
  debian("CDBus", "dbus-1", apt: "libdbus-1-dev"),
  debian("CESpeak", apt: "libespeak-ng-dev"),  // Not linked, but loaded anew for each text.
  debian("CMysofa", "libmysofa", apt: "libmysofa-dev"),
  debian("COpenSSL", "libcrypto", apt: "libssl-dev"),
  debian("COpus", "opus", apt: "libopus-dev"),
  debian("CPulse", apt: "libpulse-dev"),  // SwiftPM refuses the -D flag of its pkg-config.
  debian("CSampleRate", "samplerate", apt: "libsamplerate0-dev"),
  debian("CSndFile", "sndfile", apt: "libsndfile1-dev"),
  debian("CZlib", "zlib", apt: "zlib1g-dev"),
  .target(
    name: "CGRPC", path: "Sources/System/CGRPC",
    // By name: what pkg-config says of grpc++ is too long for a command line.
    linkerSettings: ["grpc++", "grpc", "gpr", "absl_synchronization", "ssl", "crypto"].map {
      .linkedLibrary($0)
    }),
  .target(
    name: "CWebRTCAudioProcessing", path: "Sources/System/CWebRTCAudioProcessing",
    cxxSettings: [
      // These flags are the ones that pkg-config prints. SwiftPM refuses its -D flags.
      .unsafeFlags(["-I/usr/include/webrtc_audio_processing"]),
      .define("WEBRTC_POSIX"), .define("WEBRTC_AUDIO_PROCESSING_ONLY_BUILD"),
    ],
    linkerSettings: [.linkedLibrary("webrtc_audio_processing")]),
  .target(
    name: "CBuildInformation", path: "Sources/System/CBuildInformation",
    cSettings: [.define("ANECHOIC_COMMIT", to: "\"\(commit)\"")]),
  .target(
    name: "CSoundCard", path: "Tests/Support/CSoundCard",
    linkerSettings: [.linkedLibrary("asound"), .linkedLibrary("m")]),
]

/// The modules, floor by floor: see docs/architecture.md. In all tables, the dependencies of a module
/// come with it, and are not repeated.
let modules = targets(
  { .target(name: URL(filePath: $0).lastPathComponent, dependencies: $1, path: $0) },
  [
    "Sources/System/CProfileReader": [],
    "Sources/System/CProgramArguments": [],
    "Sources/System/LinuxSystem": ["CEpoll", "COpenSSL"],
    "Sources/Audio/CKernels": [],
    "Sources/Audio/AudioCore": ["CKernels", "LinuxSystem"],
    "Sources/Audio/AudioCodecs": ["AudioCore", "COpus", "CSampleRate"],
    "Sources/Audio/AudioFiles": ["AudioCore", "CSndFile", "CPipe"],
    "Sources/Audio/EchoAlignment": ["AudioCodecs"],
    "Sources/Audio/SpatialAudio": ["EchoAlignment", "CMysofa", "CProfileReader"],
    "Sources/Engines/CEngineWeights": [],
    "Sources/Engines/VoiceEngines": ["AudioCore"],
    "Sources/Engines/AnechoicEngine": ["VoiceEngines", "AudioCodecs", "CEngineWeights"],
    "Sources/Engines/WebRTCEngine": ["VoiceEngines", "CWebRTCAudioProcessing"],
    "Sources/Engines/BundledEngines": ["AnechoicEngine", "WebRTCEngine"],
    "clients/swift/AnechoicAPI": [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
    "clients/swift/GRPCTransport": ["CGRPC"],
    "clients/swift/VoiceClient": ["AnechoicAPI", "GRPCTransport", "LinuxSystem"],
    "clients/swift/LiveVoice": ["VoiceClient", "AudioCodecs"],
    "Sources/Session/VoiceSessions": ["VoiceEngines", "SpatialAudio", "CEngineWeights"],
    "Sources/Session/SessionWire": ["VoiceSessions", "AnechoicAPI"],
    "Sources/Common/Settings": ["AnechoicAPI", .product(name: "Yams", package: "Yams")],
    "Sources/Common/Operations": ["LinuxSystem", .product(name: "Logging", package: "swift-log")],
    "Sources/Common/CommandLineSupport": [
      "Settings", "VoiceClient", "CBuildInformation", "CProgramArguments",
      .product(name: "ArgumentParser", package: "swift-argument-parser"),
    ],
    "Sources/Server/CLivePage": [],
    "Sources/Server/SpeechSynthesis": ["CESpeak"],
    "Sources/Server/Authentication": ["AnechoicAPI", "GRPCTransport", "LinuxSystem", "CCurl"],
    "Sources/Server/VoiceServer": [
      "SessionWire", "Authentication", "Operations", "SpeechSynthesis", "CLivePage", "CMalloc",
      .product(name: "Tracing", package: "swift-distributed-tracing"),
    ],
    "Sources/Edge/EdgeAudio": ["AudioCore", "CALSA", "CPulse"],
    "Sources/Edge/VoiceEdge": [
      "EdgeAudio", "Settings", "VoiceClient", "SessionWire", "AudioFiles", "CDBus",
    ],
    "Tests/Support/CAllocationCounter": [],
    "Tests/Support/CSoundRig": [],
    "Tests/Support/TestAudio": ["AudioCodecs", "SpeechSynthesis"],
    "Tests/Support/TestCredentials": ["COpenSSL"],
    "Tests/Support/TestDocuments": ["Settings"],
    "Tests/Support/TestEngines": ["VoiceEngines"],
    "Tests/Support/TestNetwork": [],
    "Tests/Support/TestTime": ["GRPCTransport"],
    "Tests/Support/AcousticSimulator": ["EchoAlignment"],
    "Tests/Support/ClockSoak": ["VoiceSessions"],
    "Tests/Support/RoomCalls": ["VoiceSessions", "AcousticSimulator"],
    "Tests/Support/ScriptedDevices": ["EdgeAudio"],
    "Tests/Support/ScriptedSessions": ["AnechoicAPI", "TestTime"],
    "Tests/Support/SoundRig": ["CSoundRig", "AcousticSimulator"],
    "Tests/Support/SoundCards": ["CSoundCard"],
    "Tests/Support/EdgeRig": ["SoundRig", "AnechoicAPI", "GRPCTransport"],
  ])

/// The programs, and those of training, which run the code of the engine and of the session.
let programs = targets(
  { .executableTarget(name: URL(filePath: $0).lastPathComponent, dependencies: $1, path: $0) },
  [
    "Sources/Programs/anechoic": [
      "CommandLineSupport", "VoiceServer", "BundledEngines", "AudioFiles", "CZlib",
    ],
    "Sources/Programs/anechoic-server": ["CommandLineSupport", "VoiceServer", "BundledEngines"],
    "Sources/Programs/anechoic-edge": [
      "CommandLineSupport", "Operations", "VoiceEdge", "BundledEngines",
    ],
    "Sources/Programs/anechoic-bridge": ["CommandLineSupport", "Operations", "LiveVoice"],
    "training/render-scenes": ["AnechoicEngine"],
    "training/render-turns": ["VoiceSessions", "BundledEngines"],
    "training/render-isolation": ["AnechoicEngine"],
  ])

/// The tests of modules. Each depends on its module too.
let unitTests = targets(
  {
    .testTarget(
      name: "\($0)Tests", dependencies: [.byName(name: $0)] + $1, path: "Tests/Unit/\($0)Tests",
      resources: $0 == "AnechoicEngine" ? [.copy("Stored")] : [])
  },
  [
    "LinuxSystem": ["TestCredentials", "TestNetwork", "TestTime"],
    "AudioCore": ["AudioFiles", "AudioCodecs", "TestAudio"],
    "AudioCodecs": ["AnechoicAPI", "TestAudio"],
    "EchoAlignment": ["AcousticSimulator", "TestAudio"],
    "SpatialAudio": ["TestAudio"],
    "VoiceEngines": ["BundledEngines", "TestEngines", "TestAudio"],
    "AnechoicEngine": ["AcousticSimulator", "TestEngines", "TestAudio"],
    "WebRTCEngine": ["TestEngines", "TestAudio"],
    "BundledEngines": ["TestEngines", "TestAudio"],
    "AnechoicAPI": [],
    "GRPCTransport": ["TestAudio", "TestCredentials", "TestTime"],
    "LiveVoice": ["ScriptedSessions"],
    "VoiceSessions": ["BundledEngines", "ClockSoak", "RoomCalls", "TestAudio"],
    "SessionWire": [],
    "Settings": [],
    "Operations": ["TestCredentials", "TestNetwork", "TestTime"],
    "SpeechSynthesis": [],
    "Authentication": ["TestCredentials", "TestTime"],
    "VoiceServer": [
      "VoiceClient", "BundledEngines", "AcousticSimulator", "TestAudio", "TestEngines",
      "TestNetwork", "TestCredentials", "TestTime",
    ],
    "EdgeAudio": ["ScriptedDevices", "TestAudio", "TestTime"],
    "VoiceEdge": [
      "VoiceServer", "BundledEngines", "ScriptedDevices", "ScriptedSessions", "TestAudio",
      "TestNetwork",
    ],
    "anechoic": ["ScriptedSessions", "TestAudio"],
    "anechoic-server": ["TestDocuments"],
    "anechoic-edge": ["TestDocuments"],
    "anechoic-bridge": [],
  ])

/// The tests of whole programs.
let systemTests = targets(
  { .testTarget(name: "\($0)Tests", dependencies: $1, path: "Tests/System/\($0)Tests") },
  [
    "Allocation": [
      "VoiceServer", "VoiceEdge", "LiveVoice", "BundledEngines", "AcousticSimulator",
      "CAllocationCounter", "TestAudio",
    ],
    "CommandLine": [
      "CommandLineSupport", "VoiceServer", "AudioFiles", "SoundRig", "TestAudio", "TestNetwork",
      "TestCredentials",
    ],
    "SoundRig": ["SoundRig"],
    "EdgeRig": ["EdgeRig", "SoundCards", "VoiceClient", "TestAudio", "TestNetwork"],
  ])

let package = Package(
  name: "anechoic",
  products: products,
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.2"),
  ],
  targets: libc + system + modules + programs + unitTests + systemTests,
  cLanguageStandard: .gnu2x,  // C23 has #embed.
  cxxLanguageStandard: .cxx17
)
