@testable import VoiceEdge
import Foundation
import ScriptedDevices
import Testing
import TestTime
import VoiceClient

/// The ways in which a person is told who talks while muted. The bus is real, and the notification service
/// has the interface of a real one (`Tests/Support/BusPrograms/notifications.py`).
@Suite(.serialized, .timeLimit(.minutes(1)))
struct TalkerNoticeTests {
  @Test func thePersonIsToldInEachWay() async throws {
    let folder = try Folder()
    let bus = try await PrivateBus(folder)
    try await bus.start("notifications.py", [], name: PrivateBus.notifications)
    try await AgentRig.run { setup in
      try setup.folder.write("", "lamp")
      setup.configuration.mute.lamps = [setup.folder.path("lamp")]
      setup.configuration.mute.notice.notification = .on
      setup.configuration.mute.notice.chimes = true
      setup.configuration.mute.notice.command = "echo $ANECHOIC_TALKING >> \(folder.path("told"))"
      setup.configuration.programs.sessionBus = bus.address.text
    } _: { rig in
      try await rig.running()
      try await eventually("dark") { rig.folder.text("lamp") == "0\n" }
      _ = try await rig.local.setMute("", muted: true)
      try await eventually("the lamp is lit") { rig.folder.text("lamp") == "1\n" }
      // The person talks in phrases. The lamp blinks meanwhile.
      try await eventually("the lamp is dark") { rig.folder.text("lamp") == "0\n" }
      try await eventually("the lamp is lit again") { rig.folder.text("lamp") == "1\n" }
      try await eventually("a notification") { try await bus.shown("Shown") == ["You are muted"] }
      try await eventually("a command") { folder.text("told").hasPrefix("true\n") }
      try await eventually("a chime") { rig.loudspeaker.played.contains { abs($0) > 0.02 } }
      _ = try await rig.local.setMute("", muted: false)
      try await eventually("no notification") { try await bus.shown("Shown").isEmpty }
      try await eventually("the command knows") { folder.text("told").hasSuffix("false\n") }
      try await eventually("dark again") { rig.folder.text("lamp") == "0\n" }
      // It does not blink any more.
      try await remains("dark", for: .milliseconds(400)) { rig.folder.text("lamp") == "0\n" }
    }
  }

  @Test func aPersonWhoTalksAgainSoonIsToldLater() async throws {
    let folder = try Folder()
    let lines = Lines()
    var configuration = EdgeConfiguration()
    configuration.mute.notice.command = "echo $ANECHOIC_TALKING >> \(folder.path("told"))"
    var notice = TalkerNotice(
      configuration, lamps: Lamps("mute lamp", [], log: lines.add),
      LoudspeakerControls(volume: 0, testSound: []), log: lines.add)
    notice.pause = .seconds(2)
    let board = StatusBoard { _ in }
    func talks(_ isTalking: Bool) {
      var status = EdgeStatus()
      status.mute = EdgeMute(session: true)
      status.mutedSpeechActive = isTalking
      board.publish(status)
    }
    talks(true)
    let work = Task { [notice] in await notice.run(board) }
    defer { work.cancel() }
    try await eventually("told") { folder.text("told") == "true\n" }
    talks(false)
    try await eventually("it is over") { folder.text("told") == "true\nfalse\n" }
    talks(true)
    try await eventually("told again") { folder.text("told") == "true\nfalse\ntrue\n" }
  }

  @Test func aDesktopThatIsAwayHoldsNothingUp() async throws {
    let folder = try Folder()
    try await AgentRig.run { setup in
      setup.configuration.mute.notice.notification = .on
      setup.configuration.mute.notice.command = "echo $ANECHOIC_TALKING >> \(folder.path("told"))"
      setup.configuration.programs.sessionBus = "unix:path=\(folder.path("no-bus"))"
    } _: { rig in
      _ = try await rig.local.setMute("", muted: true)
      try await eventually("the command runs") { folder.text("told").hasPrefix("true\n") }
      #expect(rig.log.all.count { $0.hasPrefix("notification: ") } == 1)
    }
  }
}
