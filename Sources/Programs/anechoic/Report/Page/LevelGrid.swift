/// Levels over time and frequency.
package struct LevelGrid: Sendable {
  package let columnCount: Int
  package let rowCount: Int
  /// The levels in dBFS, column after column, each with the lowest frequencies first.
  package let levels: [Float]

  package init(columnCount: Int, rowCount: Int, levels: [Float]) {
    precondition(levels.count == columnCount * rowCount)
    self.columnCount = columnCount
    self.rowCount = rowCount
    self.levels = levels
  }

  /// Returns the level of a column in a row, in dBFS.
  package func level(column: Int, row: Int) -> Float { levels[column * rowCount + row] }

  /// The highest level in dBFS.
  package var peak: Float { levels.max() ?? -.infinity }

  /// Returns the level that a share of all levels does not exceed, in dBFS.
  package func level(exceededBy share: Double) -> Float {
    let sorted = levels.sorted(by: >)
    return sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
  }

  /// Returns the picture, with the high frequencies at the top. The colours show the levels in a
  /// range, and levels outside it have the colours of its ends.
  package func image(levels range: ClosedRange<Float>) -> PNGImage {
    let top = Float(ColorMap.colorCount - 1)
    var indices: [UInt8] = []
    indices.reserveCapacity(levels.count)
    for row in (0..<rowCount).reversed() {
      for column in 0..<columnCount {
        let share =
          (level(column: column, row: row) - range.lowerBound)
          / (range.upperBound - range.lowerBound)
        indices.append(UInt8((min(1, max(0, share)) * top).rounded()))
      }
    }
    return PNGImage(
      width: columnCount, height: rowCount, indices: indices, palette: ColorMap.palette)
  }
}
