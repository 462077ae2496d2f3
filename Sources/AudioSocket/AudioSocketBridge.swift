internal import Foundation
public import Sockets
internal import Synchronization

/// A bridge between an exchange that connects for each call, and an application.
public final class AudioSocketBridge: Sendable {
  /// The time for calls to end by themselves, once the bridge stops.
  private static let farewell = Duration.seconds(5)
  /// The pause after a connection that could not be accepted, because descriptors ran out.
  private static let pause = 0.1

  private let socket: ListeningSocket
  private let settings: BridgeSettings
  private let calls = Atomic<Int>(0)
  private let isStopping = Atomic<Bool>(false)

  /// The address with the actual port.
  public var address: String { socket.address }

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
    isStopping.store(true, ordering: .relaxed)
    let deadline = ContinuousClock.now + Self.farewell
    while calls.load(ordering: .relaxed) > 0, .now < deadline {
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  private func accept() {
    while !isStopping.load(ordering: .relaxed) {
      var events = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
      guard poll(&events, 1, 100) == 1 else { continue }
      guard let (descriptor, _) = socket.accept() else {
        Thread.sleep(forTimeInterval: Self.pause)
        continue
      }
      if calls.load(ordering: .relaxed) < settings.maximumCalls {
        calls.wrappingAdd(1, ordering: .relaxed)
        Thread { [self] in run(descriptor) }.start()
      } else {
        var phone = ConnectedSocket(descriptor)
        phone.send(AudioSocketFrame(AudioSocketFrame.hangup).bytes)
        settings.log("a call was refused: \(settings.maximumCalls) calls are running (--max-calls)")
      }
    }
    socket.close()
  }

  private func run(_ descriptor: Int32) {
    defer { calls.wrappingSubtract(1, ordering: .relaxed) }
    do {
      let call = try BridgedCall.accepted(phone: descriptor, settings) { [self] in
        isStopping.load(ordering: .relaxed)
      }
      call.run()
    } catch {
      settings.log("\(error)")
    }
  }
}
