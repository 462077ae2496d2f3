internal import AnechoicAPI
internal import ArgumentParser
internal import SwiftProtobuf

/// The options of spatial audio.
struct SpatialOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The place of a named far end, which switches spatial audio on: degrees to the left, degrees up, \
      metres, and optionally decibels; repeatable.
      """, valueName: "name=azimuth,elevation,distance[,gain]"))
  var place: [PlaceArgument] = []

  @Flag(help: "Switch spatial audio on: hear --other-audio from two loudspeakers in front, too.")
  var spatial = false

  @Flag(help: "Play to headphones: report such a route at the start.")
  var headphones = false

  @Flag(help: "Turn the places with the head, by each head_pose in --controls.")
  var headTracking = false

  @Flag(help: "Render without the reflections of a room.")
  var noReflections = false

  func validate(farEnds: [String], otherAudio: String?, playback: String?) throws {
    guard !spatial || otherAudio != nil && playback != nil else {
      throw ValidationError("--spatial needs --other-audio and --playback.")
    }
    for place in place where !farEnds.contains(place.source.farEndID) {
      throw ValidationError(
        "--place \(place.source.farEndID) needs --far-end \(place.source.farEndID)=FILE.")
    }
    let names = place.map(\.source.farEndID)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw ValidationError("--place \(twice) is given more than once.")
    }
    guard isOn || !(headTracking || noReflections) else {
      throw ValidationError("--head-tracking and --no-reflections need --place or --spatial.")
    }
  }

  private var isOn: Bool { spatial || !place.isEmpty }

  func apply(to config: inout Anechoic_V1_SessionConfig) {
    guard isOn else { return }
    config.spatialAudio = .with {
      $0.enabled = true
      $0.headTracked = headTracking
      $0.earlyReflectionsDisabled = noReflections
      $0.otherAudioMixedDown = !spatial
      $0.sources = place.map(\.source)
    }
  }

  /// The report of the route, or nil for none.
  var route: Anechoic_V1_DeviceReport? {
    guard headphones else { return nil }
    return .with {
      $0.routeChanged.reason = .newDevice
      $0.routeChanged.current.output.portID = "headphones"
      $0.routeChanged.current.output.headphones = true
    }
  }
}

/// A far end: a file, with or without a name.
struct FarEndFile: ExpressibleByArgument {
  let name: String?
  let path: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2, Identifier.isValid(String(parts[0])) {
      (name, path) = (String(parts[0]), String(parts[1]))
    } else {
      (name, path) = (nil, argument)
    }
    guard !path.isEmpty else { return nil }
  }
}

/// The place of a named far end.
struct PlaceArgument: ExpressibleByArgument {
  let source: Anechoic_V1_SpatialAudio.Source

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let texts = parts[1].split(separator: ",", omittingEmptySubsequences: false)
    let numbers = texts.compactMap { Float($0) }
    guard (3...4).contains(texts.count), numbers.count == texts.count else { return nil }
    source = .with {
      $0.farEndID = String(parts[0])
      $0.azimuthDegrees = numbers[0]
      $0.elevationDegrees = numbers[1]
      $0.distanceMeters = numbers[2]
      if numbers.count == 4 { $0.gainDb = numbers[3] }
    }
  }
}
