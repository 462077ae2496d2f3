public import CommandLineSupport
internal import Foundation

/// A table as a NumPy archive: a zip file with an array for each column.
///
/// A zip file holds one array after another, and the rows come one after another. Each column
/// therefore goes to a temporary file of its own, in TMPDIR, until the table is complete.
public final class NPZFile: TableFile {
  private let path: String
  private let columns: [ColumnSpool]
  private let archive: ZipArchive
  private var rowCount = 0

  /// Opens the file, which stays empty until `finish`.
  public init(_ path: String, _ columns: [TableColumn]) throws(CommandError) {
    self.path = path
    archive = try ZipArchive(path)
    var spools: [ColumnSpool] = []
    for (index, column) in columns.enumerated() {
      guard let type = column.kind.arrayType else { continue }
      spools.append(try ColumnSpool(column, index: index, type: type))
    }
    self.columns = spools
  }

  public func append(_ row: [TableValue]) throws(CommandError) {
    for column in columns { try column.append(row[column.index]) }
    rowCount += 1
  }

  public func finish() throws(CommandError) {
    for column in columns {
      try archive.add(
        "\(column.name).npy", prefix: NPYHeader.bytes(type: column.type, count: rowCount),
        file: try column.rewound(), count: column.byteCount)
    }
    try archive.finish()
  }
}

/// The values of one column, in a temporary file without a name.
private final class ColumnSpool {
  /// The number of bytes that are written at once.
  private static let block = 1 << 16

  let name: String
  let index: Int
  let type: String
  private(set) var byteCount = 0
  private let kind: TableColumn.Kind
  private let file: FileHandle
  private var pending: [UInt8] = []

  init(_ column: TableColumn, index: Int, type: String) throws(CommandError) {
    (name, kind, self.index, self.type) = (column.name, column.kind, index, type)
    file = try UnnamedFile.open()
  }

  func append(_ value: TableValue) throws(CommandError) {
    kind.append(value, to: &pending)
    if pending.count >= Self.block { try flush() }
  }

  /// Returns the file at its first value.
  func rewound() throws(CommandError) -> FileHandle {
    try flush()
    guard lseek(file.fileDescriptor, 0, SEEK_SET) == 0 else {
      throw CommandError(systemErrorAt: UnnamedFile.folder)
    }
    return file
  }

  private func flush() throws(CommandError) {
    do { try file.write(contentsOf: pending) } catch {
      throw CommandError("\(UnnamedFile.folder): a temporary file cannot be written")
    }
    byteCount += pending.count
    pending.removeAll(keepingCapacity: true)
  }
}

/// Temporary files that no name refers to, so that nothing is left behind.
private enum UnnamedFile {
  static var folder: String { FileManager.default.temporaryDirectory.path }

  static func open() throws(CommandError) -> FileHandle {
    var path = Array("\(folder)/anechoic-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw CommandError(systemErrorAt: folder) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    unlink(path)
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }
}
