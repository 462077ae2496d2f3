/// Values of neighbouring bands: a row for each channel, with zeros between the rows, so that a
/// convolution finds zeros beyond the first and the last band.
package struct BandRows {
  package let start: UnsafeMutablePointer<Float>
  package let channels: Int
  package let bands: Int

  /// The distance between two rows.
  package let stride: Int
  /// The number of values of a row that kernels compute: the bands, padded.
  package let width: Int

  private static func stride(_ bands: Int) -> Int { Kernels.padded(bands + 1) }

  /// The number of values that rows need, with the zeros before the first and behind the last. The
  /// layer that fills them may have up to three rows more.
  package static func count(channels: Int, bands: Int) -> Int {
    2 * Kernels.width + (channels + 3) / 4 * 4 * stride(bands)
  }

  /// Uses `memory`, which holds zeros, or will after `clearMargins`.
  package init(at memory: UnsafeMutablePointer<Float>, channels: Int, bands: Int) {
    start = memory + Kernels.width
    (self.channels, self.bands) = (channels, bands)
    (stride, width) = (Self.stride(bands), Kernels.padded(bands))
  }

  package func row(_ channel: Int) -> UnsafeMutablePointer<Float> { start + channel * stride }

  /// Sets the zeros before the first row and behind the bands of each row, which kernels and other
  /// users of the memory overwrite. Runs per frame: no allocation, lock, log or await.
  package func clearMargins() {
    start[-1] = 0
    // Four values at a time, because the margins are many, and short.
    var margin = start + bands
    for _ in 0..<channels {
      var left = stride - bands
      while left >= 4 {
        left -= 4
        UnsafeMutableRawPointer(margin + left).storeBytes(of: SIMD4(), as: SIMD4<Float>.self)
      }
      while left > 0 {
        left -= 1
        margin[left] = 0
      }
      margin += stride
    }
  }
}

/// The rows that a layer reads.
package struct RowTable: ~Copyable {
  let start: UnsafeMutablePointer<UnsafePointer<Float>?>
  let count: Int

  package init(_ rows: [UnsafePointer<Float>]) {
    count = rows.count
    start = .allocate(capacity: count)
    for (index, row) in rows.enumerated() { (start + index).initialize(to: row) }
  }

  /// Names rows that follow each other at a distance.
  package init(_ first: UnsafePointer<Float>, count: Int, stride: Int) {
    self.init((0..<count).map { first + $0 * stride })
  }

  deinit { start.deallocate() }
}
