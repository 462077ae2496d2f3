internal import Foundation
internal import GRPCTransport
internal import LinuxSystem
internal import Synchronization

/// The decisions about injection that media clients have stored for their later sessions, in a file.
///
/// The file is written by replacing it, so that it is complete at any time. If it cannot be written,
/// the decisions still count until the server stops.
public final class PermissionStore: Sendable {
  /// The maximum number of decisions. With one more, the oldest decision of the owner with the most
  /// decisions leaves.
  public static let most = 10_000
  private static let largestFile = 8 << 20

  private struct Decision: Codable {
    let owner: String
    let client: String
    var isGranted: Bool
  }

  private struct State {
    /// The decisions, the oldest first.
    var decisions: [Decision]
    var isSaving = false
    var isSaved = true

    init(_ decisions: [Decision]) { self.decisions = decisions }

    /// Returns the decisions if they are not saved yet. Otherwise nil, and the saving ends.
    mutating func decisionsToSave() -> [Decision]? {
      guard !isSaved else {
        isSaving = false
        return nil
      }
      isSaved = true
      return decisions
    }
  }

  private let file: URL
  private let report: @Sendable (String) -> Void
  private let state: Mutex<State>

  /// Reads the file, if it exists. Throws if it cannot be read, or could not be created. `report` gets the reason whenever the
  /// file cannot be written.
  public init(
    path: String, report: @escaping @Sendable (String) -> Void
  ) throws(PermissionStoreError) {
    file = URL(fileURLWithPath: path)
    self.report = report
    state = Mutex(State(try Self.read(path)))
  }

  /// Returns the stored decision of an owner about a client, or nil.
  func decision(of owner: String, about client: String) -> Bool? {
    state.withLock { state in
      state.decisions.first { $0.owner == owner && $0.client == client }?.isGranted
    }
  }

  /// Stores a decision, and writes the file soon.
  func store(_ isGranted: Bool, of owner: String, about client: String) {
    let isFirst = state.withLock { state in
      state.decisions.removeAll { $0.owner == owner && $0.client == client }
      state.decisions.append(Decision(owner: owner, client: client, isGranted: isGranted))
      if state.decisions.count > Self.most { Self.forgetOne(&state) }
      state.isSaved = false
      defer { state.isSaving = true }
      return !state.isSaving
    }
    guard isFirst else { return }
    Task(executorPreference: BackgroundExecutor.shared) { self.save() }
  }

  private static func forgetOne(_ state: inout State) {
    var counts: [String: Int] = [:]
    for decision in state.decisions { counts[decision.owner, default: 0] += 1 }
    let owner = counts.max { $0.value < $1.value }?.key
    if let index = state.decisions.firstIndex(where: { $0.owner == owner }) {
      state.decisions.remove(at: index)
    }
  }

  /// Writes the file until it contains all decisions, or cannot be written.
  private func save() {
    while let decisions = state.withLock({ $0.decisionsToSave() }) {
      do {
        let data = try JSONEncoder().encode(decisions)
        try data.write(to: file, options: .atomic)
      } catch {
        report("\(file.path): stored permissions cannot be written: \(Self.reason(error))")
      }
    }
  }

  private static func reason(_ error: any Error) -> String {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    guard let cause = cause.map({ $0 as NSError }), cause.domain == NSPOSIXErrorDomain else {
      return "\(error)"
    }
    return String(cString: strerror(Int32(cause.code))).lowercased()
  }

  private static func read(_ path: String) throws(PermissionStoreError) -> [Decision] {
    guard access(path, F_OK) == 0 || errno != ENOENT else {
      let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
      guard access(folder, W_OK | X_OK) == 0 else {
        let reason = String(cString: strerror(errno)).lowercased()
        throw PermissionStoreError(description: "\(path): \(reason)")
      }
      return []
    }
    let bytes: [UInt8]
    do { bytes = try RegularFile.read(path, atMost: largestFile) } catch {
      throw PermissionStoreError(description: "\(path): \(error)")
    }
    guard let decisions = try? JSONDecoder().decode([Decision].self, from: Data(bytes)),
      decisions.count <= most
    else {
      throw PermissionStoreError(
        description: "\(path): this is not a file of stored permissions; remove it to start anew")
    }
    return decisions
  }
}

/// The reason why stored permissions cannot be used.
public struct PermissionStoreError: Error, CustomStringConvertible {
  public let description: String
}
