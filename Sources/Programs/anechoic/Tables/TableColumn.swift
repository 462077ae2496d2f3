/// A column of a table. Its name ends in the unit of its values.
public struct TableColumn: Sendable, Equatable {
  /// The values of a column, and their type in an NPZ file.
  public enum Kind: Sendable, Equatable {
    /// Whole numbers, 64 bits.
    case integer
    /// Numbers, 64 bits. A missing value is NaN.
    case real
    /// Numbers, 32 bits. A missing value is NaN.
    case level
    /// True or false.
    case truth
    /// Words of at most this many characters. A missing value is empty.
    case word(longest: Int)
    /// Text of any length. NPZ files leave these columns out, because NumPy gives each value of a
    /// column the size of the longest.
    case text
  }

  public let name: String
  public let kind: Kind

  public init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }
}

/// A value in a table.
public enum TableValue: Sendable, Equatable {
  case integer(Int64)
  case real(Double)
  case truth(Bool)
  case text(String)
  /// An unknown value, which only columns of numbers with a fraction, words and text can have.
  case missing

  /// Creates a number that may be unknown.
  public init(_ number: (some BinaryFloatingPoint)?) {
    self = number.map { .real(Double($0)) } ?? .missing
  }
}
