internal import EdgeAudio
internal import Foundation

/// The rule that lowers the streams of other programs and restores them, without I/O.
///
/// The server may remember a volume for the next stream of the same program. So a stream that ends while
/// it is lowered is remembered too, and its successor gets the original volume back.
struct LoweredStreams: Sendable, Equatable {
  /// A stream that was lowered.
  struct Entry: Codable, Sendable, Equatable {
    var index: UInt32
    var identity: String
    /// The volume of each channel before it was lowered.
    var original: [UInt32]
    /// The range in which the volume now is. During a change of the gain, it is anywhere between both
    /// ends.
    var least: [UInt32]
    var most: [UInt32]
    /// The gain in dB that was applied last.
    var gain: Float

    /// Returns whether a stream has the volume that this rule gave to it.
    func explains(_ volume: [UInt32]) -> Bool {
      volume.count == original.count
        && volume.indices.allSatisfy { least[$0] <= volume[$0] && volume[$0] <= most[$0] }
    }

    /// Returns the original volume that belongs to a lowered one, or nil if it would be above 100 %.
    func original(of volume: [UInt32]) -> [UInt32]? {
      guard volume.count == original.count else { return nil }
      let factor = pow(10, Double(-gain) / 60)
      let whole = volume.map { (Double($0) * factor).rounded() }
      return whole.allSatisfy { $0 <= 65536 } ? whole.map { UInt32($0) } : nil
    }

    var isValid: Bool {
      gain.isFinite && gain <= 0 && !original.isEmpty && original.count == least.count
        && original.count == most.count
    }
  }

  /// A volume to set.
  struct Change: Sendable, Equatable {
    var index: UInt32
    var volume: [UInt32]
  }

  /// Purposes whose streams keep their volume: notifications, screen readers and calls.
  private static let excepted: Set = ["event", "notification", "a11y", "phone", "communication"]
  /// The maximum number of streams that are remembered after their end.
  static let mostEnded = 64

  private let ownProcess: Int32
  private(set) var entries: [Entry] = []
  /// Streams that ended while they were lowered, or that an earlier run of the agent lowered.
  private(set) var ended: [Entry] = []
  /// The streams that a person has made louder than their original volume allows.
  private var released: Set<UInt32> = []

  init(ownProcess: Int32, ended: [Entry] = []) {
    self.ownProcess = ownProcess
    self.ended = ended.filter(\.isValid).suffix(Self.mostEnded)
  }

  /// The streams that have to be known to the next run of the agent.
  var memory: [Entry] { ended + entries }

  /// Returns the volumes to set at a gain in dB. Nil restores all streams.
  ///
  /// - Parameter target: The gain at the end of a change that has begun. Nil for the gain itself.
  mutating func changes(
    _ streams: [ProgramStream], gain: Float?, target: Float? = nil
  ) -> [Change] {
    forgetEnded(streams)
    if gain == nil { released = [] }
    var changes: [Change] = []
    for stream in streams where mayBeChanged(stream) {
      guard let volume = volume(for: stream, gain: gain, target: target) else { continue }
      if volume != stream.volume { changes.append(Change(index: stream.index, volume: volume)) }
    }
    return changes
  }

  private func mayBeChanged(_ stream: ProgramStream) -> Bool {
    isOfMedia(stream) && !released.contains(stream.index)
  }

  private func isOfMedia(_ stream: ProgramStream) -> Bool {
    stream.process != ownProcess && !Self.excepted.contains(stream.role.lowercased())
  }

  /// Returns whether a stream plays media of another program: no notification, and no call.
  func isMedia(_ stream: ProgramStream) -> Bool { stream.isPlaying && isOfMedia(stream) }

  /// Moves the streams that have ended to the remembered ones.
  private mutating func forgetEnded(_ streams: [ProgramStream]) {
    let live = Dictionary(streams.map { ($0.index, $0.identity) }, uniquingKeysWith: { $1 })
    for entry in entries where live[entry.index] != entry.identity {
      ended.removeAll { $0.identity == entry.identity }
      ended.append(entry)
    }
    entries.removeAll { live[$0.index] != $0.identity }
    if ended.count > Self.mostEnded { ended.removeFirst(ended.count - Self.mostEnded) }
    released.formIntersection(live.keys)
  }

  /// Returns the volume that a stream should have, or nil to leave it alone.
  private mutating func volume(
    for stream: ProgramStream, gain: Float?, target: Float?
  ) -> [UInt32]? {
    let place = entries.firstIndex { $0.index == stream.index }
    if let place, !entries[place].explains(stream.volume) {
      // Somebody has changed the volume of the stream, or of everything.
      guard let original = entries[place].original(of: stream.volume) else {
        entries.remove(at: place)
        released.insert(stream.index)
        return nil
      }
      entries[place].original = original
    }
    let known = place.map { entries.remove(at: $0) } ?? takeEnded(stream)
    guard let gain else { return known?.original }
    var entry =
      known
      ?? Entry(
        index: stream.index, identity: stream.identity, original: stream.volume,
        least: stream.volume, most: stream.volume, gain: 0)
    (entry.index, entry.gain) = (stream.index, gain)
    let now = Self.volume(entry.original, gain)
    let then = target.map { Self.volume(entry.original, $0) } ?? now
    entry.least = zip(now, then).map(min)
    entry.most = zip(now, then).map(max)
    entries.append(entry)
    return now
  }

  /// Returns the remembered predecessor of a stream that has the predecessor's lowered volume.
  private mutating func takeEnded(_ stream: ProgramStream) -> Entry? {
    let place = ended.firstIndex {
      $0.identity == stream.identity && $0.explains(stream.volume)
    }
    return place.map { ended.remove(at: $0) }
  }

  /// Returns a volume at a gain in dB. The sound is proportional to the third power of a volume.
  static func volume(_ original: [UInt32], _ gain: Float) -> [UInt32] {
    let factor = pow(10, Double(min(0, gain)) / 60)
    return original.map { UInt32((Double($0) * factor).rounded()) }
  }
}
