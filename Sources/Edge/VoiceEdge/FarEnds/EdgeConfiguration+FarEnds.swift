internal import AnechoicAPI
internal import SessionWire
internal import Settings
internal import SwiftProtobuf
internal import VoiceSessions

extension EdgeConfiguration {
  /// A far end that programs play by its name. It has one channel.
  public struct FarEnd: Sendable, Equatable {
    public var id: String
    /// The place where a program plays it. Nil if programs play it over the control socket.
    public var place: Endpoint?
    /// The place where it is heard.
    public var azimuth = 0.0
    public var elevation = 0.0
    public var distance = 1.0
    public var gain = 0.0

    public init(id: String) { self.id = id }

    /// The keys of a far end.
    static let table = SettingsTable<FarEnd>(
      [
        Setting("id", \.id, .identifier, "The name of the far end", unset: "required"),
        Setting(
          "input", \.place, .endpoint,
          "The place where programs play it. Without one, they play it by its name"),
        Setting(
          "azimuth_degrees", \.azimuth, .number(-360...360),
          "The direction in which it is heard with spatial audio. 90 is to the left"),
        Setting(
          "elevation_degrees", \.elevation, .number(-90...90),
          "The elevation. 90 is straight up"),
        Setting("distance_meters", \.distance, .number(0.1...100), "The distance"),
        Setting(
          "gain_db", \.gain, .number(-60...12),
          "The gain. It also applies where far ends are mixed down"),
      ], defaults: FarEnd(id: ""))
  }
}

extension SettingFormat<[EdgeConfiguration.FarEnd]> {
  static var farEnds: Self {
    .elements(
      EdgeConfiguration.FarEnd.table, allowed: "a list with the keys below",
      example: EdgeConfiguration.FarEnd(id: "alice")
    ) { farEnds throws(SettingsError) in
      try farEnds.settleFarEnds()
    }
  }
}

extension [LayeredValues<EdgeConfiguration.FarEnd>] {
  fileprivate mutating func settleFarEnds() throws(SettingsError) {
    var ids: Set<String> = []
    for farEnd in self {
      let id = farEnd.values.id
      guard !id.isEmpty else { throw farEnd.wrong("id", "is required") }
      guard !id.hasPrefix(FarEndSlots.sparePrefix) else {
        throw farEnd.wrong("id", "must not begin with \(FarEndSlots.sparePrefix)")
      }
      guard ids.insert(id).inserted else {
        throw farEnd.wrong("id", "\"\(id)\" is already the id of another far end")
      }
    }
  }
}

extension LayeredValues<EdgeConfiguration> {
  /// Checks the number of all far ends.
  func settleFarEnds() throws(SettingsError) {
    let (named, spare) = (values.programs.farEnds.count, values.programs.spareFarEnds)
    guard named + spare <= FarEndSlots.most else {
      throw wrong(
        spare > 0 && named <= FarEndSlots.most ? "programs.spare_far_ends" : "programs.far_ends",
        "there are \(named + spare) far ends; at most \(FarEndSlots.most) are allowed")
    }
  }
}

extension Anechoic_V1_SpatialAudio.Source {
  /// Throws for a place at which nothing can be heard. `path` is its path in the request.
  func checkPlace(path: String) throws(InvalidFieldError) {
    var checked = self
    checked.farEndID = "far-end"
    let configuration = Anechoic_V1_SessionConfig.with { $0.spatialAudio.sources = [checked] }
    do throws(InvalidFieldError) {
      _ = try SessionConfiguration(configuration, path: path)
    } catch {
      let field = error.path.split(separator: ".").last ?? ""
      throw InvalidFieldError("\(path).\(field)", error.problem)
    }
  }
}
