internal import Foundation
internal import Glibc
public import LinuxSystem
internal import Synchronization

/// The WebSockets of a server, on a thread of their own.
///
/// The connections come from an `HTTPListener` after their handshakes. Their number, the size of their
/// messages and the time of their clients are limited. Everything that is read and not yet wanted, or
/// sent and not yet taken, holds the other side back.
public final class WebSocketService: Sendable {
  /// The maximum number of connections.
  public static let mostConnections = 1024
  /// The bytes of incomplete messages of all connections together. The client of one more byte is
  /// sent away.
  static let mostKeptBytes = 64 << 20
  /// The size in bytes of the buffers of the system for a connection. Larger ones would hide for
  /// seconds that a client does not read.
  static let systemBuffer: Int32 = 64 << 10
  /// The size in bytes of the output that may wait in the system for a network that is slower than the
  /// sound: half a second at 16 kHz. The rest waits here, where a session drops what is too old.
  static let systemBacklog: Int32 = 16 << 10

  private let commands: WebSocketCommands
  private let count = Atomic(0)
  private let lastID = Atomic<UInt64>(0)
  private let isStopped = Atomic(false)
  private let limits: WebSocketReader.Limits

  /// Starts the thread. `messageBytes` is the largest message of a client in bytes.
  public init(messageBytes: Int) throws(ListeningError) {
    limits = .init(messageBytes: messageBytes)
    commands = WebSocketCommands(try LoopWaker(for: "WebSockets"))
    guard let loop = WebSocketLoop(commands) else {
      throw ListeningError(systemErrorAt: "WebSockets")
    }
    let thread = Thread { [weak self] in
      while let self, !isStopped.load(ordering: .acquiring) {
        count.store(loop.turn(), ordering: .relaxed)
      }
      loop.close()
    }
    thread.name = "websocket"
    thread.start()
  }

  /// Whether there is room for one more connection.
  public var hasRoom: Bool { count.load(ordering: .relaxed) < Self.mostConnections }

  /// Takes over a connection after its handshake. `report` runs on the thread of the service and must not
  /// wait.
  public func adopt(
    _ connection: UpgradedConnection, _ report: @escaping @Sendable (WebSocket.Report) -> Void
  ) -> WebSocket {
    let descriptor = connection.descriptor
    let id = lastID.add(1, ordering: .relaxed).newValue
    ConnectedSocket.hurry(
      descriptor, buffer: Self.systemBuffer, unsent: Self.systemBacklog)
    let isTaken = commands.add(
      WebSocketConnection(
        id: id, descriptor: descriptor, rest: connection.rest, tls: connection.takeEncryption(),
        limits: limits, patience: .init(), report: report))
    if !isTaken {
      close(descriptor)
      report(.lost)
    }
    return WebSocket(id: id, commands: commands)
  }

  /// Closes all connections soon.
  public func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    commands.waker.wake()
  }

  deinit { stop() }
}

/// The connections of a service. For use on its thread only.
private final class WebSocketLoop: @unchecked Sendable {
  private static let tick = Duration.seconds(1)
  private static let mostEvents = 64
  private static let readBytes = 16 << 10
  /// The id of the waker. The ids of connections are larger.
  private static let wakerID: UInt64 = 0

  private let commands: WebSocketCommands
  private var poll: EventPoll
  private var connections: [UInt64: WebSocketConnection] = [:]
  /// The events that each connection is watched for.
  private var watched: [UInt64: EventPoll.Events] = [:]
  private var buffer = [UInt8](repeating: 0, count: readBytes)
  private var nextTick = ContinuousClock.now
  /// The connections whose events may have to change.
  private var touched: Set<UInt64> = []

  init?(_ commands: WebSocketCommands) {
    self.commands = commands
    guard let poll = EventPoll(mostEvents: Self.mostEvents) else { return nil }
    poll.add(commands.waker.descriptor, id: Self.wakerID, for: .readable)
    self.poll = poll
  }

  /// Waits for events, and handles them. Returns the number of connections.
  func turn() -> Int {
    var ready: [(id: UInt64, events: EventPoll.Events)] = []
    poll.wait(atMost: nextTick - .now) { ready.append(($0, $1)) }
    let now = ContinuousClock.now
    for (id, events) in ready {
      if let connection = connections[id] { proceed(connection, events, now) }
      if id == Self.wakerID { commands.waker.drain() }
    }
    performCommands(now)
    if now >= nextTick {
      nextTick = now + Self.tick
      for connection in connections.values { connection.checkTime(now) }
      touched.formUnion(connections.keys)
    }
    for id in touched { update(id) }
    touched.removeAll(keepingCapacity: true)
    return connections.count
  }

  func close() {
    for connection in Array(connections.values) + commands.stop().connections {
      connection.hungUp()
      Glibc.close(connection.descriptor)
    }
    connections = [:]
  }

  private func performCommands(_ now: ContinuousClock.Instant) {
    let batch = commands.take()
    for connection in batch.connections {
      connections[connection.id] = connection
      touched.insert(connection.id)
    }
    for (id, command) in batch.commands {
      guard let connection = connections[id], !connection.isOver else { continue }
      connection.perform(command, now: now)
      touched.insert(id)
    }
  }

  private func proceed(
    _ connection: WebSocketConnection, _ events: EventPoll.Events, _ now: ContinuousClock.Instant
  ) {
    touched.insert(connection.id)
    if events.contains(.writable) { connection.write() }
    guard !events.isDisjoint(with: [.readable, .broken]), !connection.isOver else { return }
    let count = recv(connection.descriptor, &buffer, buffer.count, 0)
    if count < 0, [EAGAIN, EINTR].contains(errno) { return }
    guard count > 0 else { return connection.hungUp() }
    guard connection.keptBytes + count <= bytesLeft(for: connection) else {
      return connection.fail(WebSocketClosing(1013, "the server has no memory; try again"), now)
    }
    buffer.withUnsafeBytes {
      connection.accept(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: now)
    }
  }

  /// Returns the bytes that a connection may keep. Small amounts are not counted.
  private func bytesLeft(for connection: WebSocketConnection) -> Int {
    guard connection.keptBytes > 2 * Self.readBytes else { return .max }
    let others = connections.values.reduce(0) { $0 + $1.keptBytes } - connection.keptBytes
    return WebSocketService.mostKeptBytes - others
  }

  /// Watches for the events that a connection waits for now, or forgets the connection.
  private func update(_ id: UInt64) {
    guard let connection = connections[id] else { return }
    guard !connection.isOver else {
      connections[id] = nil
      watched[id] = nil
      Glibc.close(connection.descriptor)
      return
    }
    var events: EventPoll.Events = []
    if connection.wantsToRead { events.insert(.readable) }
    if connection.wantsToWrite { events.insert(.writable) }
    if let old = watched[id] {
      if old != events { poll.change(connection.descriptor, id: id, to: events) }
    } else {
      poll.add(connection.descriptor, id: id, for: events)
    }
    watched[id] = events
  }
}
