import Foundation
import TestNetwork
import Testing

@testable import LinuxSystem

/// The messages to systemd.
@Suite struct ServiceNotifierTests {
  @Test(arguments: [true, false])
  func messagesArriveAsLines(isAbstract: Bool) throws {
    let manager = try #require(ServiceManagerSocket(isAbstract: isAbstract))
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
    let manager = try #require(ServiceManagerSocket(isAbstract: true))
    let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]))
    let taken = (0..<10_000).count { _ in notifier.send(.watchdog) }
    #expect(taken > 0 && taken < 10_000)
  }

  @Test func aChangeWaitsForAFullSocket() async throws {
    let manager = try #require(ServiceManagerSocket(isAbstract: true))
    let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": manager.name]))
    while notifier.send(.watchdog) {}
    #expect(!notifier.send(.ready))
    let sending = Task.detached { notifier.send(.ready) }
    #expect(try await manager.messages(until: "READY=1").last == "READY=1")
    #expect(await sending.value)
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
