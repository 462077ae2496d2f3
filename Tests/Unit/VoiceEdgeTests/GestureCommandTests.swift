import Foundation
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct GestureCommandTests {
  private func ask(
    _ command: String?, muted: Bool = true, longestTime: Duration = .seconds(20)
  ) async -> Bool {
    await GestureCommand.accepts(command, muted: muted, longestTime: longestTime)
  }

  @Test func withoutACommandEachPressIsAccepted() async {
    #expect(await ask(nil))
  }

  @Test func itsExitStatusDecides() async {
    #expect(await ask("exit 0"))
    #expect(await !ask("exit 1"))
    #expect(await !ask("kill -9 $$"))
    #expect(await !ask("/there/is/no/such/command"))
  }

  @Test func aCommandThatDoesNotEndAcceptsNothing() async {
    let start = ContinuousClock.now
    #expect(await !ask("sleep 50; true", longestTime: .milliseconds(200)))
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func theCommandEndsWithItsTask() async throws {
    let start = ContinuousClock.now
    let folder = try Folder()
    let task = Task { await ask("touch \(folder.path("begun")); sleep 50; true") }
    try await eventually("it has begun") {
      FileManager.default.fileExists(atPath: folder.path("begun"))
    }
    task.cancel()
    #expect(await !task.value)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test func theAgentDoesNotWaitForChildrenOfTheCommand() async {
    let start = ContinuousClock.now
    #expect(await ask("sleep 15 & exit 0"))
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func theCommandGetsTheRequestedState() async {
    #expect(await ask("test \"$ANECHOIC_MUTED\" = true", muted: true))
    #expect(await ask("test \"$ANECHOIC_MUTED\" = false", muted: false))
  }
}
