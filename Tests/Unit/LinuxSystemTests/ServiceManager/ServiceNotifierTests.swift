import Foundation
import Testing

@testable import LinuxSystem

/// The messages to systemd.
@Suite struct ServiceNotifierTests {
  /// A socket of a service manager, with a path or an abstract name.
  private final class Manager {
    let descriptor: Int32
    let name: String

    init(isAbstract: Bool) throws {
      let suffix = "anechoic-notify-\(UUID().uuidString.prefix(8))"
      name = isAbstract ? "@\(suffix)" : "/tmp/\(suffix)"
      let bytes = isAbstract ? [0] + Array(suffix.utf8) : Array(name.utf8)
      descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
      let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
      let bound = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      }
      try #require(bound == 0)
    }

    deinit {
      close(descriptor)
      if name.hasPrefix("/") { unlink(name) }
    }

    func next() -> String? {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }

  @Test(arguments: [true, false])
  func messagesArriveAsLines(isAbstract: Bool) throws {
    let manager = try Manager(isAbstract: isAbstract)
    let notifier = try #require(
      ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "30000000"]))
    #expect(notifier.watchdogLimit == .seconds(30))
    notifier.send(.ready)
    #expect(manager.next() == "READY=1")
    notifier.send(.stopping(.seconds(75)))
    #expect(manager.next() == "STOPPING=1\nEXTEND_TIMEOUT_USEC=75000000")
    notifier.send(.status("one\ntwo"))
    #expect(manager.next() == "STATUS=one two")
    notifier.send(.reloading)
    #expect(manager.next()?.hasPrefix("RELOADING=1\nMONOTONIC_USEC=") == true)
  }

  @Test func aFullSocketDropsMessagesAndNothingWaits() throws {
    let manager = try Manager(isAbstract: true)
    let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]))
    let taken = (0..<10_000).count { _ in notifier.send(.watchdog) }
    #expect(taken > 0 && taken < 10_000)
  }

  @Test(arguments: ["", "relative", "@", "/" + String(repeating: "a", count: 200)])
  func aWrongAddressIsNone(name: String) {
    #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]) == nil)
  }

  @Test func theWatchdogOfAnotherProcessIsNotMeant() throws {
    let notifier = try #require(
      ServiceNotifier(environment: [
        "NOTIFY_SOCKET": "@none", "WATCHDOG_USEC": "1000", "WATCHDOG_PID": "1",
      ]))
    #expect(notifier.watchdogLimit == nil)
    #expect(!notifier.send(.watchdog))
  }

  @Test func onlyTheJournalsOwnSocketTakesPriorities() {
    var info = stat()
    fstat(STDERR_FILENO, &info)
    #expect(JournalStream.takesPriorities(stream: "\(info.st_dev):\(info.st_ino)"))
    for stream in [nil, "", "0:1", "\(info.st_dev)"] {
      #expect(!JournalStream.takesPriorities(stream: stream))
    }
  }
}
