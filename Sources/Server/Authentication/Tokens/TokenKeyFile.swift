internal import Foundation
internal import LinuxSystem
internal import Synchronization

/// A file with the keys that verify tokens. The keys can be read again while the server runs. If the
/// new file cannot be used, the old keys remain.
public final class TokenKeyFile: Sendable {
  /// The maximum size of the file in bytes.
  static let largestSize = 256 << 10

  private struct State {
    var keys: TokenKeys
    /// The number of the keys' version. It changes when other keys are read.
    var version: Int
    /// The version of the file that was read last.
    var file: RegularFile.Version?
  }

  public let path: String
  private let state: Mutex<State>
  /// Held while the file is read, so that no older keys follow newer ones.
  private let reading = Mutex(())

  /// Reads the file.
  public init(path: String) throws(TokenKeyError) {
    self.path = path
    let file = RegularFile.Version(of: path)
    state = Mutex(State(keys: try Self.read(path), version: 1, file: file))
  }

  /// The keys, and the number of their version.
  var current: (keys: TokenKeys, version: Int) { state.withLock { ($0.keys, $0.version) } }

  /// The number of keys in use.
  public var count: Int { current.keys.count }

  /// Reads the file again. Returns the number of keys. If the file cannot be used, throws and keeps
  /// the old keys.
  @discardableResult
  public func reload() throws(TokenKeyError) -> Int {
    try reading.withLock { _ throws(TokenKeyError) in
      let file = RegularFile.Version(of: path)
      state.withLock { $0.file = file }
      let keys = try Self.read(path)
      state.withLock { state in
        state.keys = keys
        state.version += 1
      }
      return keys.count
    }
  }

  /// Reads the file again, and returns the outcome.
  func reloaded() -> TokenKeySource.Outcome {
    do throws(TokenKeyError) { return .success(try reload()) } catch { return .failure(error) }
  }

  /// Reads the file again whenever it has changed, until the task is cancelled. Looks at the file
  /// once in each `interval`, and reports each attempt.
  public func watch(
    every interval: Duration, report: @Sendable (TokenKeySource.Outcome) -> Void
  ) async {
    while !Task.isCancelled {
      try? await Task.sleep(for: interval)
      guard !Task.isCancelled, RegularFile.Version(of: path) != state.withLock({ $0.file }) else {
        continue
      }
      report(reloaded())
    }
  }

  private static func read(_ path: String) throws(TokenKeyError) -> TokenKeys {
    let bytes: [UInt8]
    do {
      bytes = try RegularFile.read(path, atMost: largestSize)
    } catch {
      throw .file(error.description)
    }
    return try TokenKeys(bytes)
  }
}
