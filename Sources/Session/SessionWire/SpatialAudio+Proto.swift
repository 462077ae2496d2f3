public import AnechoicAPI
internal import SpatialAudio
internal import SwiftProtobuf
public import VoiceSessions

extension SpatialSettings {
  init(_ spatial: Anechoic_V1_SpatialAudio, path: String) throws(InvalidFieldError) {
    self.init()
    isEnabled = spatial.enabled
    isHeadTracked = spatial.headTracked
    hasReflections = !spatial.earlyReflectionsDisabled
    mixesOtherAudio = spatial.otherAudioMixedDown
    guard spatial.listenerProfile.isEmpty || Identifier.isValid(spatial.listenerProfile) else {
      throw InvalidFieldError("\(path).listener_profile", Identifier.rule)
    }
    listenerProfile = spatial.listenerProfile
    guard spatial.sources.count <= Self.largestSourceCount else {
      throw InvalidFieldError(
        "\(path).sources",
        "has \(spatial.sources.count) sources; at most \(Self.largestSourceCount) are allowed")
    }
    var ids: Set<String> = []
    for (index, source) in spatial.sources.enumerated() {
      let place = "\(path).sources[\(index)]"
      try FarEndID.check(source.farEndID, among: &ids, path: "\(place).far_end_id")
      sources.append(try Source(source, path: place))
    }
  }
}

extension SpatialSettings.Source {
  fileprivate init(
    _ source: Anechoic_V1_SpatialAudio.Source, path: String
  ) throws(InvalidFieldError) {
    func check(
      _ value: Float, _ field: String, _ range: ClosedRange<Float>
    ) throws(InvalidFieldError) -> Float {
      // Not a number is in no range.
      guard range.contains(value) else {
        throw InvalidFieldError(
          "\(path).\(field)", "must be \(range.lowerBound) to \(range.upperBound)")
      }
      return value
    }
    let azimuth = try check(source.azimuthDegrees, "azimuth_degrees", Placement.azimuths)
    let elevation = try check(source.elevationDegrees, "elevation_degrees", Placement.elevations)
    let distance =
      source.hasDistanceMeters
      ? try check(source.distanceMeters, "distance_meters", Placement.distances) : 1
    self.init(
      farEnd: source.farEndID,
      placement: Placement(azimuth: azimuth, elevation: elevation, distance: distance),
      gain: try check(source.gainDb, "gain_db", Self.gains))
  }
}

/// The rule for the ids of named far ends.
enum FarEndID {
  /// Throws unless an id is valid and new, and remembers it.
  static func check(
    _ id: String, among ids: inout Set<String>, path: String
  ) throws(InvalidFieldError) {
    guard Identifier.isValid(id) else { throw InvalidFieldError(path, Identifier.rule) }
    guard ids.insert(id).inserted else {
      throw InvalidFieldError(path, "\"\(id)\" occurs more than once")
    }
  }
}

extension Anechoic_V1_SpatialAudio {
  init(_ settings: SpatialSettings) {
    self.init()
    enabled = settings.isEnabled
    headTracked = settings.isHeadTracked
    earlyReflectionsDisabled = !settings.hasReflections
    otherAudioMixedDown = settings.mixesOtherAudio
    listenerProfile = settings.listenerProfile
    sources = settings.sources.map { source in
      .with {
        $0.farEndID = source.farEnd
        $0.azimuthDegrees = source.placement.azimuth
        $0.elevationDegrees = source.placement.elevation
        $0.distanceMeters = source.placement.distance
        $0.gainDb = source.gain
      }
    }
  }
}

extension Anechoic_V1_ConfigUpdate {
  /// The listener profile that the update names, if there is one.
  public var namedProfile: String? {
    let name = config.spatialAudio.listenerProfile
    let isNamed = updateMask.paths.contains {
      $0 == "spatial_audio" || $0 == "spatial_audio.listener_profile"
    }
    return isNamed && Identifier.isValid(name) ? name : nil
  }
}

extension Refusal {
  /// Refuses a listener profile that the session's principal does not have.
  public static func noProfile(_ name: String, path: String) -> Refusal {
    Refusal(
      .notFound, reason: "NO_PROFILE",
      message: "\(path): the session's client has no profile \"\(name)\"")
  }
}

extension Anechoic_V1_HeadPose {
  /// Throws if the pose is not valid. `path` is its path in the request.
  public func check(path: String) throws(InvalidFieldError) { _ = try HeadPose(self, path: path) }
}

extension HeadPose {
  /// Converts a message. `path` is its path in the request.
  init(_ pose: Anechoic_V1_HeadPose, path: String) throws(InvalidFieldError) {
    switch pose.orientation {
    case .quaternion(let value):
      guard let pose = HeadPose(w: value.w, x: value.x, y: value.y, z: value.z) else {
        throw InvalidFieldError(
          "\(path).quaternion",
          "must have a length of \(Self.lengths.lowerBound) to \(Self.lengths.upperBound)")
      }
      self = pose
    case .angles(let value):
      guard
        let pose = HeadPose(
          yaw: value.yawDegrees, pitch: value.pitchDegrees, roll: value.rollDegrees)
      else {
        throw InvalidFieldError(
          "\(path).angles",
          "must be \(Self.angles.lowerBound) to \(Self.angles.upperBound) degrees each")
      }
      self = pose
    case nil: throw InvalidFieldError(path, "must contain quaternion or angles")
    }
  }
}
