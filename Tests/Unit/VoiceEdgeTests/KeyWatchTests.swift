import Foundation
import Glibc
import Testing
import TestTime

@testable import VoiceEdge

/// The files that can be a mute key, and those that cannot.
@Suite(.timeLimit(.minutes(1)))
struct KeyWatchTests {
  private let folder: Folder
  private let lines = Lines()

  init() throws { folder = try Folder() }

  private func keyProblem(_ path: String) -> String {
    problem("mute:\n  keys:\n  - /no\n  - \(path)\n")
  }

  @Test func aFileOrFolderCannotBeAKey() throws {
    try folder.write("x", "file")
    for path in [folder.path("file"), folder.url.path, "/dev/zero"] {
      #expect(
        keyProblem(path)
          == "edge.yaml:4: mute.keys: \(path): is not an input device, a HID device or a FIFO")
    }
    #expect(keyProblem(folder.path("file/key")).hasSuffix("file/key: Not a directory"))
  }

  @Test(.enabled(if: geteuid() != 0, "everything may be read by root"))
  func anUnreadableKeyIsReported() {
    #expect(mkfifo(folder.path("key"), 0o200) == 0)
    #expect(keyProblem(folder.path("key")).hasSuffix("key: Permission denied"))
  }

  @Test func aFIFOIsOneAndMayComeLater() {
    #expect(mkfifo(folder.path("key"), 0o600) == 0)
    for path in [folder.path("key"), folder.path("absent")] {
      #expect(keyProblem(path) == "nothing is wrong")
    }
  }

  @Test func aFileThatReplacesAKeyIsReportedAndNotRead() async throws {
    try Data([UInt8].micMutePress).write(to: folder.url.appendingPathComponent("key"))
    let presses = Lines()
    let watch = KeyWatch(folder.path("key"), log: lines.add) { _ in presses.add("press") }
    try await eventually("told") { lines.contain("is not an input device, a HID device or a FIFO") }
    try await remains("told once", for: .milliseconds(300)) {
      lines.all.count == 1 && presses.all.isEmpty
    }
    watch.stop()
    watch.join()
  }

  @Test func aPressThatBouncesIsOne() async throws {
    #expect(mkfifo(folder.path("key"), 0o600) == 0)
    let key = open(folder.path("key"), O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(key) }
    let presses = Lines()
    let watch = KeyWatch(folder.path("key"), log: lines.add) { event in
      if event.isPressed { presses.add("\(event.key)") }
    }
    let bytes =
      [UInt8].micMutePress + [UInt8].micMutePress
      + [UInt8].inputEvent(type: 1, code: 164, value: 1)
    #expect(write(key, bytes, bytes.count) == bytes.count)
    try await eventually("all are read") { presses.all.contains("playPause") }
    #expect(presses.all == ["micMute", "playPause"])
    watch.stop()
    watch.join()
  }

  @Test func aFIFOThatIsMadeAnewIsFound() async throws {
    let presses = Lines()
    #expect(mkfifo(folder.path("key"), 0o600) == 0)
    let watch = KeyWatch(folder.path("key"), log: lines.add) { event in
      if event.isPressed { presses.add("\(event.key)") }
    }
    // Kept open, so that the former FIFO does not end.
    let former = try await writer()
    defer { close(former) }
    #expect(unlink(folder.path("key")) == 0 && mkfifo(folder.path("key"), 0o600) == 0)
    let key = try await writer()
    defer { close(key) }
    let press = [UInt8].micMutePress
    #expect(write(key, press, press.count) == press.count)
    try await eventually("it is read") { presses.all == ["micMute"] }
    watch.stop()
    watch.join()
  }

  /// Opens the FIFO once the watch reads it.
  private func writer() async throws -> Int32 {
    var key: Int32 = -1
    try await eventually("the FIFO is read") {
      key = open(folder.path("key"), O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      return key >= 0
    }
    return key
  }

  @Test func anInputDeviceIsFoundByItsName() throws {
    for (event, name) in [("event3", "Keyboard"), ("event12", "Headset (AVRCP)"), ("mouse0", "X")] {
      let device = folder.url.appendingPathComponent("\(event)/device")
      try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
      try Data("\(name)\n".utf8).write(to: device.appendingPathComponent("name"))
    }
    let root = folder.url.path
    #expect(InputDevice.path(of: "name:Headset (AVRCP)", in: root) == "/dev/input/event12")
    #expect(InputDevice.path(of: "name:Headset", in: root) == nil)
    #expect(InputDevice.path(of: "name:X", in: root) == nil)
    #expect(InputDevice.path(of: "/dev/input/event3", in: root) == "/dev/input/event3")
    #expect(InputDevice.path(of: "name:a", in: folder.path("no")) == nil)
  }

  @Test func aDeviceThatIsAbsentIsReportedOnce() async throws {
    #expect(keyProblem("'name:No such headset'") == "nothing is wrong")
    #expect(keyProblem("'name:'").hasSuffix("name:: names no device"))
    let watch = KeyWatch("name:No such headset", log: lines.add) { _ in }
    try await eventually("told") {
      lines.contain("key name:No such headset: there is no input device of this name")
    }
    watch.stop()
    watch.join()
    #expect(lines.all.count == 1)
  }
}
