public import CommandLineSupport

/// A file that receives a table row by row. The length of the table does not matter for the memory
/// that it uses.
public protocol TableFile: AnyObject {
  /// Appends a row with a value for each column, in the order of the columns.
  func append(_ row: [TableValue]) throws(CommandError)

  /// Completes the file after the last row.
  func finish() throws(CommandError)
}

/// The forms of tables, by the extension of a file's name.
public enum TableForm: String, CaseIterable, Sendable {
  case csv
  case npz

  /// Returns the form of a file with this path, or nil if the path does not name a table.
  public init?(path: String) {
    guard let dot = path.lastIndex(of: ".") else { return nil }
    self.init(rawValue: path[path.index(after: dot)...].lowercased())
  }

  /// Opens a table at a path.
  public func open(_ path: String, _ columns: [TableColumn]) throws(CommandError) -> any TableFile {
    switch self {
    case .csv: try CSVFile(path, columns)
    case .npz: try NPZFile(path, columns)
    }
  }
}
