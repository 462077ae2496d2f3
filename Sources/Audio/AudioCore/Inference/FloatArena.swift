/// Memory from which the parts of an engine take their arrays, one behind the other. The memory
/// lives as long as a copy of the arena.
///
/// A copy takes arrays from the same memory: those that the copy and the original take afterwards
/// overlap. This is for values that are never needed at the same time.
package struct FloatArena {
  private final class Memory {
    let values: FloatBuffer

    init(_ count: Int) { values = FloatBuffer(count) }
  }

  private let memory: Memory
  private var used = 0

  package init(capacity: Int) { memory = Memory(capacity) }

  /// Sets all values to zero, those of copies too.
  package func clear() { memory.values.clear() }

  /// Returns an array, padded to the kernels' width, that lives as long as the memory. Its values
  /// are zero if no copy of the arena has used them.
  package mutating func array(_ count: Int) -> UnsafeMutablePointer<Float> {
    let start = memory.values.start + used
    used += Kernels.padded(count)
    precondition(used <= memory.values.count, "the arena is too small")
    return start
  }

  /// Returns a spectrum, as `array` does.
  package mutating func spectrum(_ bins: Int) -> Spectrum {
    Spectrum(real: array(bins), imaginary: array(bins))
  }

  /// Returns rows of bands, as `array` does.
  package mutating func rows(channels: Int, bands: Int) -> BandRows {
    BandRows(
      at: array(BandRows.count(channels: channels, bands: bands)), channels: channels,
      bands: bands)
  }

  /// Returns rows for the even and the odd bands of a signal, as `array` does.
  package mutating func halves(channels: Int, bands: Int) -> (BandRows, BandRows) {
    (rows(channels: channels, bands: bands / 2), rows(channels: channels, bands: bands / 2))
  }
}
