import Foundation
import GRPCTransport
import Synchronization
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct StatusBoardTests {
  private func status(route: String? = nil, muted: Bool = false) -> EdgeStatus {
    var status = EdgeStatus()
    status.route = route
    status.mute = EdgeMute(session: muted)
    return status
  }

  @Test func aWatcherHasTheStatusAndThenEachThatDiffers() async {
    let board = StatusBoard { _ in }
    board.publish(status(route: "a"))
    var watch = board.watch().makeAsyncIterator()
    #expect(await watch.next()?.route == "a")
    board.publish(status(route: "a"))
    board.publish(status(route: "b"))
    #expect(await watch.next()?.route == "b")
    #expect(board.status.route == "b")
  }

  @Test func aSlowWatcherHasTheLast() async {
    let board = StatusBoard { _ in }
    var watch = board.watch().makeAsyncIterator()
    for index in 0..<1000 { board.publish(status(route: "\(index)")) }
    #expect(await watch.next()?.route == "999")
  }

  @Test func aConnectionThatAnotherHasFollowedIsLost() async throws {
    let board = StatusBoard { _ in }
    var status = EdgeStatus()
    (status.isConnected, status.connection) = (true, 2)
    board.publish(status)
    let result = try await board.whileConnected(by: 2) { 7 }
    #expect(result == 7)
    let lost = await code { try await board.whileConnected(by: 1) { try await untilCancelled() } }
    #expect(lost == .unavailable)
  }

  @Test func theLampGetsTheFirstStateAndChanges() {
    let told = Mutex<[Bool]>([])
    let board = StatusBoard { muted in told.withLock { $0.append(muted) } }
    for muted in [false, false, true, true, false] {
      board.publish(status(route: "\(muted)", muted: muted))
    }
    #expect(told.withLock { $0 } == [false, true, false])
  }

  /// Uses threads of its own, so that a deadlock fails this test.
  @Test func watchersMayLeaveDuringAPublication() async throws {
    let board = StatusBoard { _ in }
    let isOver = Atomic(false)
    Thread.detachNewThread {
      var count = 0
      while !isOver.load(ordering: .relaxed) {
        count += 1
        board.publish(status(route: "\(count)"))
      }
    }
    Thread.detachNewThread {
      for _ in 0..<5_000 {
        let changes = board.watch()
        let watcher = Task { for await _ in changes {} }
        sched_yield()
        watcher.cancel()
      }
      isOver.store(true, ordering: .relaxed)
    }
    try await eventually("all have gone") { isOver.load(ordering: .relaxed) }
  }
}
