internal import Synchronization

/// Constant values, such as the roots of a Fourier transform.
package final class FloatTable: @unchecked Sendable {
  private let values: FloatBuffer

  /// Creates a table of `count` values, which `fill` writes.
  package init(_ count: Int, fill: (UnsafeMutablePointer<Float>) -> Void) {
    values = FloatBuffer(count)
    fill(values.start)
  }

  /// The values, valid as long as the table.
  package var start: UnsafePointer<Float> { UnsafePointer(values.start) }
}

/// Tables of one kind, each for a size. All users of a size share its table, which lives as long as
/// one of them.
package final class SharedTables: Sendable {
  private struct Entry {
    weak var table: FloatTable?
  }

  private let entries = Mutex<[Int: Entry]>([:])

  package init() {}

  /// Returns the table for a size, which `make` creates if there is none.
  package func table(_ size: Int, _ make: () -> FloatTable) -> FloatTable {
    entries.withLock { entries in
      if let table = entries[size]?.table { return table }
      let table = make()
      entries[size] = Entry(table: table)
      return table
    }
  }
}
