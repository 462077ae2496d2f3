internal import Spectral

/// Memory from which a network takes its arrays, one behind the other.
package struct FloatArena: ~Copyable {
  private let memory: FloatBuffer
  private var used = 0

  package init(capacity: Int) { memory = FloatBuffer(capacity) }

  /// Returns an array of zeros, padded to the kernels' width, that lives as long as the arena.
  package mutating func array(_ count: Int) -> UnsafeMutablePointer<Float> {
    let start = memory.start + used
    used += Kernels.padded(count)
    precondition(used <= memory.count, "the arena is too small")
    return start
  }

  /// Returns rows of bands, all zero, that live as long as the arena.
  package mutating func rows(channels: Int, bands: Int) -> BandRows {
    BandRows(
      at: array(BandRows.count(channels: channels, bands: bands)), channels: channels,
      bands: bands)
  }

  /// Returns rows for the even and the odd bands of a signal.
  package mutating func halves(channels: Int, bands: Int) -> (BandRows, BandRows) {
    (rows(channels: channels, bands: bands / 2), rows(channels: channels, bands: bands / 2))
  }
}
