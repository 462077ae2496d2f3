import Foundation
import Synchronization
import TestCredentials
import Testing
import TestTime

@testable import Authentication

/// Files of keys that change while they are in use.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TokenKeyFileTests {
  private let issuer: TokenIssuer

  init() async throws { issuer = try await TokenIssuer() }

  @Test func aFileIsReadAgainOnDemand() async throws {
    let file = try TokenKeyFile(path: issuer.path("keys.json"))
    #expect(file.count == 2)
    try issuer.write("{\"keys\":[\(issuer.ecEntry)]}", to: "keys.json")
    #expect(try file.reload() == 1)
    #expect(file.count == 1)
  }

  @Test func theOldKeysRemainIfTheNewFileCannotBeUsed() async throws {
    let file = try TokenKeyFile(path: issuer.path("keys.json"))
    try issuer.write("garbage", to: "keys.json")
    #expect(throws: TokenKeyError.unreadable) { try file.reload() }
    #expect(file.count == 2)
    try FileManager.default.removeItem(atPath: issuer.path("keys.json"))
    #expect(throws: TokenKeyError.file("no such file or directory")) {
      try file.reload()
    }
    #expect(file.count == 2)
  }

  @Test func aChangedFileIsNoticed() async throws {
    let file = try TokenKeyFile(path: issuer.path("keys.json"))
    let outcomes = Outcomes()
    await withTaskGroup { group in
      group.addTask {
        await file.watch(every: .milliseconds(10)) { outcomes.append($0) }
      }
      let steps: [(String, TokenKeySource.Outcome)] = [
        ("garbage", .failure(.unreadable)),
        ("{\"keys\":[\(issuer.ecEntry)]}", .success(1)),
      ]
      for (index, (text, outcome)) in steps.enumerated() {
        try? issuer.write(text, to: "keys.json")
        try? await eventually("told") { outcomes.all.count > index }
        #expect(outcomes.all.last == outcome)
      }
      group.cancelAll()
    }
    // An unchanged file is not reported again.
    #expect(outcomes.all.count == 2)
    #expect(file.count == 1)
  }

  /// Nobody writes the file again when its permissions are repaired.
  @Test func aFileWithOtherPermissionsIsReadAgain() async throws {
    let file = try TokenKeyFile(path: issuer.path("keys.json"))
    let outcomes = Outcomes()
    await withTaskGroup { group in
      group.addTask {
        await file.watch(every: .milliseconds(10)) { outcomes.append($0) }
      }
      // The clock of a file system may have ticks of some milliseconds.
      try? await eventually("told") {
        chmod(issuer.path("keys.json"), 0o600) == 0 && !outcomes.all.isEmpty
      }
      group.cancelAll()
    }
    #expect(outcomes.all.first == .success(2))
  }

  @Test func aFileThatCannotBeReadIsReported() async throws {
    #expect(throws: TokenKeyError.file("no such file or directory")) {
      try TokenKeyFile(path: issuer.path("missing"))
    }
    #expect(mkfifo(issuer.path("fifo"), 0o600) == 0)
    for path in ["/dev/zero", issuer.path("fifo")] {
      #expect(throws: TokenKeyError.file("this is not a regular file")) {
        try TokenKeyFile(path: path)
      }
    }
    #expect(throws: TokenKeyError.file("is a directory")) {
      try TokenKeyFile(path: issuer.folder.path)
    }
  }
}

private final class Outcomes: Sendable {
  private let outcomes = Mutex<[TokenKeySource.Outcome]>([])

  var all: [TokenKeySource.Outcome] { outcomes.withLock { $0 } }

  func append(_ outcome: TokenKeySource.Outcome) { outcomes.withLock { $0.append(outcome) } }
}
