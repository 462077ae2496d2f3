internal import Dispatch
internal import Synchronization

/// What others have for the voice thread: closures that it runs between two frames.
final class Mailbox<Owner: AnyObject>: Sendable {
  typealias Letter = @Sendable (Owner) -> Void

  private let letters = Mutex<[Letter]>([])
  private let wake = DispatchSemaphore(value: 0)

  /// Runs it soon. Never waits.
  func post(_ letter: @escaping Letter) {
    letters.withLock { $0.append(letter) }
    wake.signal()
  }

  /// Runs it soon, and gives what it returns.
  func ask<Answer: Sendable>(
    _ question: @escaping @Sendable (Owner) -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      post { continuation.resume(returning: question($0)) }
    }
  }

  /// Wakes the owner, who has something to look at.
  func signal() { wake.signal() }

  /// Waits to be woken, for `milliseconds` at most.
  func wait(milliseconds: Int) { _ = wake.wait(timeout: .now() + .milliseconds(milliseconds)) }

  /// Runs all letters.
  func read(by owner: Owner) {
    let waiting = letters.withLock { letters in
      defer { letters.removeAll(keepingCapacity: true) }
      return letters
    }
    for letter in waiting { letter(owner) }
  }
}
