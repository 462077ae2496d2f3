internal import Dispatch
internal import Synchronization

/// The closures that other threads pass to the voice thread. It runs them between two frames.
final class Mailbox<Owner: AnyObject>: Sendable {
  typealias Letter = @Sendable (Owner) -> Void

  private let letters = Mutex<[Letter]>([])
  private let wake = DispatchSemaphore(value: 0)

  /// Runs the closure soon. Never waits.
  func post(_ letter: @escaping Letter) {
    letters.withLock { $0.append(letter) }
    wake.signal()
  }

  /// Runs the closure soon, and returns its result.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (Owner) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      post { continuation.resume(returning: question($0)) }
    }
  }

  /// Wakes the owner.
  func signal() { wake.signal() }

  /// Waits for a wake-up, at most for `milliseconds`.
  func wait(milliseconds: Int) { _ = wake.wait(timeout: .now() + .milliseconds(milliseconds)) }

  /// Runs all closures.
  func read(by owner: Owner) {
    let waiting = letters.withLock { letters in
      defer { letters.removeAll(keepingCapacity: true) }
      return letters
    }
    for letter in waiting { letter(owner) }
  }
}
