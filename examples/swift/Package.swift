// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "listen",
  dependencies: [
    // The URL from which you cloned Anechoic.
    .package(url: "https://example.com/anechoic.git", branch: "main")
  ],
  targets: [
    .executableTarget(
      name: "listen",
      dependencies: [
        .product(name: "VoiceClient", package: "anechoic"),
        .product(name: "LiveVoice", package: "anechoic"),
      ]),
    .executableTarget(
      name: "mute", dependencies: [.product(name: "VoiceClient", package: "anechoic")]),
  ])
