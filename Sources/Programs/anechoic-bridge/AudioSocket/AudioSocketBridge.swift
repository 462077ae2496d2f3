internal import Foundation
internal import GRPCTransport
public import LinuxSystem
internal import Operations
internal import Synchronization

/// A bridge between an exchange that connects for each call, and an application.
public final class AudioSocketBridge: CallBridge {
  /// The time for calls to end by themselves, once the bridge stops.
  private static let farewell = Duration.seconds(5)
  /// The pause after a connection that could not be accepted, because descriptors ran out.
  private static let pause = 0.1

  private let socket: ListeningSocket
  private let settings: BridgeSettings
  private let calls = Atomic<Int>(0)
  private let stops = Atomic<Bool>(false)

  /// The address with the actual port.
  public var address: String { socket.address }

  var callCount: Int { calls.load(ordering: .relaxed) }
  var maximumCalls: Int { settings.maximumCalls }
  var isStopping: Bool { stops.load(ordering: .relaxed) }

  /// Listens for calls. Throws if that is not possible.
  public init(listeningOn address: String, _ settings: BridgeSettings) throws(ListeningError) {
    socket = try ListeningSocket(address)
    self.settings = settings
    let thread = Thread { [self] in accept() }
    thread.name = "audiosocket"
    thread.start()
  }

  /// Accepts no more calls, hangs up the running ones, and returns when they have ended, after 5 s at
  /// the latest.
  public func stop() async {
    stops.store(true, ordering: .relaxed)
    let deadline = ContinuousClock.now + Self.farewell
    while callCount > 0, .now < deadline {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private func accept() {
    var newcomers = Newcomers(settings.security) { [settings] reason in
      settings.metrics.refused(.failed)
      settings.log(reason)
    }
    while !isStopping {
      var events = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
      events += newcomers.events
      poll(&events, nfds_t(events.count), 100)
      for caller in newcomers.read(events.dropFirst()) { begin(caller) }
      guard events[0].revents != 0 else { continue }
      guard let (descriptor, peer) = socket.accept() else {
        Thread.sleep(forTimeInterval: Self.pause)
        continue
      }
      newcomers.admit(descriptor, from: PeerAddress.host(of: peer))
    }
    socket.close()
  }

  private func begin(_ caller: Newcomers.Caller) {
    if callCount < maximumCalls {
      calls.wrappingAdd(1, ordering: .relaxed)
      Thread { [self] in run(caller) }.start()
    } else {
      var phone = caller.takeSocket()
      phone?.hangUp()
      settings.metrics.refused(.full)
      settings.log("a call was refused: \(maximumCalls) calls are running (--max-calls)")
    }
  }

  private func run(_ caller: Newcomers.Caller) {
    defer { calls.wrappingSubtract(1, ordering: .relaxed) }
    do {
      let call = try BridgedCall.accepted(caller, settings) { [self] in isStopping }
      settings.metrics.started.add()
      call.run()
    } catch {
      settings.metrics.refused(.failed)
      settings.log("\(error)")
    }
  }
}
