internal import CALSA
internal import Glibc

extension DeviceChannel {
  /// The positions that ALSA knows.
  public static let positions: [String] = (SND_CHMAP_MONO.rawValue...SND_CHMAP_LAST.rawValue)
    .compactMap { name(ofPosition: $0) }

  /// Creates a channel from a number or from the name of a position. Nil for any other text.
  public init?(_ text: String) {
    if let number = Int(text) {
      guard (1...Self.largestNumber).contains(number) else { return nil }
      self = .number(number)
    } else {
      guard Self.positions.contains(text) else { return nil }
      self = .position(text)
    }
  }

  /// Returns ALSA's name of a position.
  static func name(ofPosition position: UInt32) -> String? {
    snd_pcm_chmap_name(snd_pcm_chmap_position(rawValue: position)).map { String(cString: $0) }
  }
}

extension ChannelPositions {
  /// Creates the positions of an open PCM whose number of channels is settled.
  init(_ pcm: OpaquePointer, count: Int) {
    let map = snd_pcm_get_chmap(pcm)
    defer { free(map) }
    self.init(count: count, reported: map.flatMap { Self.names($0, count) })
  }

  /// Returns the positions that a PCM may have before its number of channels is settled.
  static func possible(_ pcm: OpaquePointer) -> [ChannelPositions] {
    guard let queries = snd_pcm_query_chmaps(pcm) else { return [] }
    defer { snd_pcm_free_chmaps(queries) }
    var result: [ChannelPositions] = []
    var next = queries
    while let query = next.pointee {
      next += 1
      let count = Int(query.pointee.map.channels)
      let names = withUnsafePointer(to: &query.pointee.map) { Self.names($0, count) }
      result.append(ChannelPositions(count: count, reported: names))
    }
    return result
  }

  /// Returns the names of the positions, or nil if the map has none.
  private static func names(_ map: UnsafePointer<snd_pcm_chmap_t>, _ count: Int) -> [String]? {
    guard map.pointee.channels == count else { return nil }
    let positions = (0..<UInt32(count)).map { calsa_position(map, $0) }
    guard positions.contains(where: { $0 >= SND_CHMAP_MONO.rawValue }) else { return nil }
    return positions.map { DeviceChannel.name(ofPosition: $0) ?? "UNKNOWN" }
  }
}
