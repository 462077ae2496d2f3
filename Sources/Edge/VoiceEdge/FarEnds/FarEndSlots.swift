internal import AnechoicAPI
internal import AudioCore
internal import SwiftProtobuf
internal import Synchronization

/// The named far ends of the agent's sessions: those of the configuration, and the spare ones, to
/// which programs give names while they play. Their number and ids are constant, because a session
/// has its far ends from its start on. May be used from any thread.
final class FarEndSlots: Sendable {
  typealias Source = Anechoic_V1_SpatialAudio.Source

  /// The most far ends that a session can have.
  static let most = 16
  static let sparePrefix = "spare-"

  /// The reason why a program cannot play a far end.
  enum ClaimError: Error {
    /// Another program plays it.
    case taken
    /// The configuration has an input for it.
    case input(Endpoint)
    /// There is no far end of this name, and no spare one.
    case full
  }

  private struct Slot {
    var name: String
    var isPlayed = false
    var place: Source?
  }

  private let configured: [EdgeConfiguration.FarEnd]
  /// The ids in the session.
  let ids: [String]
  private let rings: [FrameRing<CaptureNote>]
  private let slots: Mutex<[Slot]>
  private let changeCount = Atomic(0)

  init(_ configuration: EdgeConfiguration) {
    let (programs, rate) = (configuration.programs, configuration.audio.rate)
    configured = programs.farEnds
    let spare = configuration.session.join == nil ? programs.spareFarEnds : 0
    ids = configured.map(\.id) + (0..<spare).map { "\(Self.sparePrefix)\($0 + 1)" }
    rings = ids.map { _ in
      FrameRing(rate: rate, channelCount: 1, capacity: 64, note: CaptureNote())
    }
    slots = Mutex(
      programs.farEnds.map { Slot(name: $0.id, place: Source($0)) }
        + (0..<spare).map { _ in Slot(name: "") })
  }

  /// Returns the inputs of the voice, one for each id.
  func inputs(
    _ devices: EdgeDevices, wake: @escaping @Sendable () -> Void
  ) -> [ProgramInput] {
    ids.indices.map { index in
      guard index < configured.count, let place = configured[index].place else {
        return ProgramInput(rings[index])
      }
      return ProgramInput(
        place, title: "far-end \(ids[index])", rate: rings[index].rate, channelCount: 1, devices,
        wake: wake)
    }
  }

  func ring(_ index: Int) -> FrameRing<CaptureNote> { rings[index] }

  /// Lets a program play a far end, until `release`. Returns its index.
  func claim(_ name: String, at place: Source?) throws(ClaimError) -> Int {
    defer { changeCount.add(1, ordering: .releasing) }
    return try slots.withLock { slots throws(ClaimError) in
      let known = slots.firstIndex { $0.name == name }
      if let known {
        if known < configured.count, let place = configured[known].place { throw .input(place) }
        guard !slots[known].isPlayed else { throw .taken }
      }
      guard let index = known ?? slots.firstIndex(where: { $0.name.isEmpty }) else {
        throw .full
      }
      slots[index].name = name
      slots[index].isPlayed = true
      if let place { slots[index].place = place }
      return index
    }
  }

  func move(_ index: Int, to place: Source) {
    slots.withLock { $0[index].place = place }
    changeCount.add(1, ordering: .releasing)
  }

  /// Ends the play of a program. A far end of the configuration returns to its place.
  func release(_ index: Int) {
    let farEnd = index < configured.count ? configured[index] : nil
    slots.withLock {
      $0[index] = Slot(name: farEnd?.id ?? "", place: farEnd.map { Source($0) })
    }
    changeCount.add(1, ordering: .releasing)
  }

  /// The number of changes of places so far. Runs per frame: no allocation, lock, log or await.
  var changes: Int { changeCount.load(ordering: .acquiring) }

  /// Returns the places of all far ends, by the ids of the session, and those of others that the
  /// settings have.
  func sources(besides settings: Anechoic_V1_SessionConfig) -> [Source] {
    let others = settings.spatialAudio.sources.filter { !ids.contains($0.farEndID) }
    return Array((sources + others).prefix(Self.most))
  }

  private var sources: [Source] {
    let places = slots.withLock { $0.map(\.place) }
    return zip(ids, places).compactMap { id, place in
      guard var place else { return nil }
      place.farEndID = id
      return place
    }
  }

  /// The far ends for the status.
  var messages: [Anechoic_V1_EdgeFarEnd] {
    let slots = slots.withLock { $0 }
    return zip(ids, slots).map { id, slot in
      .with {
        $0.name = slot.name
        $0.farEndID = id
        $0.playing = slot.isPlayed
        if let place = slot.place { $0.place = place }
      }
    }
  }
}

extension Anechoic_V1_SpatialAudio.Source {
  fileprivate init(_ farEnd: EdgeConfiguration.FarEnd) {
    self.init()
    farEndID = farEnd.id
    azimuthDegrees = Float(farEnd.azimuth)
    elevationDegrees = Float(farEnd.elevation)
    distanceMeters = Float(farEnd.distance)
    gainDb = Float(farEnd.gain)
  }
}
