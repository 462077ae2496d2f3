import Foundation
import Synchronization
import TestTime

/// The events that a server's handlers received, in order, and functions that wait for them.
final class Journal: Sendable {
  enum Event: Sendable, Equatable {
    case started
    case received([UInt8])
    case halfClosed
    case writeCompleted
    case cancelled
    case ended
    /// The handler was released.
    case released
    /// Two threads were in one handler at the same time.
    case overlapped
    case note(String)
  }

  struct Entry: Sendable {
    let call: Int
    let event: Event
    let thread: UInt
    let time: ContinuousClock.Instant
  }

  private struct Waiter {
    let event: Event
    let call: Int?
    var missing: Int
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var entries: [Entry] = []
    var callCount = 0
    var waiters: [UUID: Waiter] = [:]
  }

  private let state = Mutex(State())
  let released = DispatchSemaphore(value: 0)

  var entries: [Entry] { state.withLock { $0.entries } }

  func events(in call: Int = 1) -> [Event] {
    entries.filter { $0.call == call }.map(\.event)
  }

  func count(of event: Event, in call: Int? = nil) -> Int {
    entries.count { $0.event == event && (call == nil || $0.call == call) }
  }

  /// Returns the number of the next call. Calls are numbered from 1.
  func nextCall() -> Int {
    state.withLock { state in
      state.callCount += 1
      return state.callCount
    }
  }

  func record(_ event: Event, in call: Int = 0) {
    let entry = Entry(
      call: call, event: event, thread: UInt(pthread_self()), time: ContinuousClock.now)
    let satisfied = state.withLock { state in
      state.entries.append(entry)
      var satisfied: [CheckedContinuation<Void, any Error>] = []
      for (id, waiter) in state.waiters
      where waiter.event == event && (waiter.call == nil || waiter.call == call) {
        state.waiters[id]?.missing -= 1
        if waiter.missing == 1 {
          satisfied.append(waiter.continuation)
          state.waiters[id] = nil
        }
      }
      return satisfied
    }
    satisfied.forEach { $0.resume() }
  }

  /// Waits until `event` has been recorded this many times. Throws `TimeoutError` after `limit`.
  func wait(
    for event: Event, times: Int = 1, in call: Int? = nil, within limit: Duration = .seconds(20)
  ) async throws {
    try await TestTime.within(limit, "\(event) in call \(call ?? 0), \(times) times") {
      try await self.reached(event, times: times, in: call)
    }
  }

  private func reached(_ event: Event, times: Int, in call: Int?) async throws {
    let id = UUID()
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isThere = state.withLock { state in
          let present = state.entries.count {
            $0.event == event && (call == nil || $0.call == call)
          }
          guard present < times else { return true }
          state.waiters[id] = Waiter(
            event: event, call: call, missing: times - present, continuation: continuation)
          return false
        }
        if isThere { continuation.resume() }
        // If the task was cancelled before, `onCancel` found no waiter.
        if Task.isCancelled { giveUp(id) }
      }
    } onCancel: {
      giveUp(id)
    }
  }

  private func giveUp(_ id: UUID) {
    let waiter = state.withLock { $0.waiters.removeValue(forKey: id) }
    waiter?.continuation.resume(throwing: CancellationError())
  }
}
