public import Foundation
internal import Synchronization

/// The keys that verify tokens, at the HTTPS address of an issuer (a JSON Web Key Set, RFC 7517).
///
/// They are fetched again by their age, and for a token whose key is not known. If a fetch fails, the
/// old keys remain. At most one fetch runs at a time, for at most 5 s.
public final class TokenKeyAddress: Sendable {
  /// The range of the age at which keys are fetched again.
  public static let refreshRange = Duration.seconds(60) ... .seconds(86_400)

  fileprivate struct State {
    /// Nil until the first fetch succeeds.
    var keys: TokenKeys?
    /// The number of the keys' version. It changes when other keys are fetched.
    var version = 0
    var bytes: [UInt8] = []
    var fetchedAt: Date?
    var hasFailed = false
    var schedule: KeyFetchSchedule
    var running: Task<TokenKeySource.Outcome, Never>?
    var report: @Sendable (TokenKeySource.Outcome) -> Void = { _ in }
  }

  public let address: String
  private let document: HTTPSDocument
  private let cancellation = Cancellation()
  private let state: Mutex<State>

  /// Creates the keys without fetching them. `authorities` is a file of PEM with the authorities that
  /// sign the certificate of the host, or nil for those that the system trusts.
  public init(_ address: String, authorities: String? = nil, refreshedAfter interval: Duration) {
    self.address = address
    document = HTTPSDocument(
      address: address, authorities: authorities, largestSize: TokenKeyFile.largestSize)
    state = Mutex(State(schedule: KeyFetchSchedule(interval: interval)))
  }

  /// The time of the last successful fetch, or nil before it.
  public var fetchedAt: Date? { state.withLock { $0.fetchedAt } }

  /// The keys and the number of their version, or nil before the first successful fetch.
  var current: (keys: TokenKeys, version: Int)? {
    state.withLock { state in state.keys.map { ($0, state.version) } }
  }

  /// Fetches the keys for a token whose key is not known, at most once a minute. Returns when no fetch
  /// runs that could bring the key.
  func fetchForToken() async {
    let fetch = state.withLock { state in
      state.running ?? (state.schedule.startForToken(at: .now) ? start(&state) : nil)
    }
    _ = await fetch?.value
  }

  /// Fetches the keys now. The caller tells the outcome.
  func reload() async -> TokenKeySource.Outcome { await fetch(isReported: false).value }

  /// Fetches the keys whenever it is time, until the task is cancelled. Reports each fetch that fails
  /// and each that brings other keys, also those for tokens.
  func watch(report: @escaping @Sendable (TokenKeySource.Outcome) -> Void) async {
    state.withLock { $0.report = report }
    await withTaskCancellationHandler {
      while !Task.isCancelled {
        let wait = state.withLock { $0.schedule.wait(at: .now) }
        if wait > .zero {
          // A fetch for a token that fails meanwhile makes the wait shorter.
          try? await Task.sleep(for: min(wait, KeyFetchSchedule.pause))
        } else {
          _ = await fetch(isReported: true).value
        }
      }
    } onCancel: {
      cancellation.set()
    }
  }

  /// Returns the fetch that runs, or starts one.
  private func fetch(isReported: Bool) -> Task<TokenKeySource.Outcome, Never> {
    state.withLock { state in state.running ?? start(&state, isReported: isReported) }
  }

  private func start(
    _ state: inout State, isReported: Bool = true
  ) -> Task<TokenKeySource.Outcome, Never> {
    let task = Task { await self.fetched(isReported: isReported) }
    state.running = task
    return task
  }

  private func fetched(isReported: Bool) async -> TokenKeySource.Outcome {
    let result = await readKeys()
    let (outcome, report) = state.withLock { state in
      state.running = nil
      state.schedule.ended(withKeys: (try? result.get()) != nil, at: .now)
      return state.take(result)
    }
    if isReported { report?(outcome) }
    return outcome
  }

  private func readKeys() async -> Result<(TokenKeys, [UInt8]), TokenKeyError> {
    let bytes: [UInt8]
    do throws(HTTPSDocument.FetchError) {
      bytes = try await document.get(until: cancellation)
    } catch {
      return .failure(.file(error.description))
    }
    do throws(TokenKeyError) {
      return .success((try TokenKeys(bytes), bytes))
    } catch {
      return .failure(error)
    }
  }
}

extension TokenKeyAddress.State {
  /// Takes over the result of a fetch. Returns the outcome, and who gets it if it is news.
  fileprivate mutating func take(
    _ result: Result<(TokenKeys, [UInt8]), TokenKeyError>
  ) -> (TokenKeySource.Outcome, (@Sendable (TokenKeySource.Outcome) -> Void)?) {
    switch result {
    case .failure(let error):
      hasFailed = true
      return (.failure(error), report)
    case .success((let keys, let bytes)):
      let isNews = bytes != self.bytes || hasFailed
      if bytes != self.bytes {
        (self.keys, self.bytes) = (keys, bytes)
        version += 1
      }
      (fetchedAt, hasFailed) = (.now, false)
      return (.success(keys.count), isNews ? report : nil)
    }
  }
}
