import Foundation
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct LampsTests {
  private let folder: Folder
  private let lines = Lines()

  init() throws { folder = try Folder() }

  @Test func eachLampIsGivenOneOrZero() async throws {
    try folder.write("255\n", "a")
    try folder.write("", "b")
    let lamps = Lamps("mute lamp", [folder.path("a"), folder.path("b")], log: lines.add)
    lamps.set(true)
    try await eventually("lit") { folder.text("a") == "1\n" && folder.text("b") == "1\n" }
    lamps.set(false)
    try await eventually("dark") { folder.text("a") == "0\n" && folder.text("b") == "0\n" }
    #expect(lines.all.isEmpty)
  }

  @Test func theLastStateIsWhatStays() async throws {
    try folder.write("", "a")
    try folder.write("", "end")
    let lamps = Lamps("mute lamp", [folder.path("a")], log: lines.add)
    for index in 0..<101 { lamps.set(index.isMultiple(of: 2)) }
    try await eventually("lit") { folder.text("a") == "1\n" }
  }

  @Test func aMissingLampIsReportedAndTheOthersWork() async throws {
    try folder.write("", "b")
    let lamps = Lamps("mute lamp", [folder.path("no"), folder.path("b")], log: lines.add)
    lamps.set(true)
    try await eventually("lit") { folder.text("b") == "1\n" }
    #expect(lines.contain("mute lamp \(folder.path("no")): "))
    for _ in 0..<10 { lamps.set(true) }
    lamps.finish()
    #expect(lines.all.count == 1)
  }

  @Test func aLampThatComesShowsTheState() async throws {
    let lamps = Lamps("mute lamp", [folder.path("a")], log: lines.add)
    lamps.set(true)
    lamps.finish()
    try folder.write("0\n", "a")
    try await eventually("lit") { folder.text("a") == "1\n" }
    // The device goes, and another one comes.
    try FileManager.default.moveItem(atPath: folder.path("a"), toPath: folder.path("old"))
    try folder.write("0\n", "a")
    try await eventually("lit") { folder.text("a") == "1\n" }
  }

  @Test func aLampThatChangedByItselfIsSetAgain() async throws {
    try folder.write("", "a")
    let lamps = Lamps("mute lamp", [folder.path("a")], log: lines.add)
    lamps.set(true)
    lamps.finish()
    try folder.write("0\n", "a")
    lamps.setAgain()
    lamps.finish()
    #expect(folder.text("a") == "1\n")
  }
}
