// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "anechoic-fuzzing",
  dependencies: [
    .package(name: "anechoic", path: "../../.."),
    .package(url: "https://github.com/apple/swift-protobuf.git", from: "1.39.0"),
  ],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "AudioFiles", package: "anechoic"),
        .product(name: "VoiceEdge", package: "anechoic"),
        .product(name: "VoiceServer", package: "anechoic"),
        .product(name: "VoiceSessions", package: "anechoic"),
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
        // libFuzzer has the main function.
        .unsafeFlags(["-parse-as-library"]),
      ])
  ]
)
