internal import Foundation
public import LinuxSystem
internal import Synchronization

/// A small HTTP server on a thread of its own, for operators and their tools.
///
/// It answers one request on each connection. The number of connections, the size of requests and
/// the time for them are limited. A client that is slow loses its place when the places run out, so
/// that slow clients do not lock out others. The thread has a lower priority than the audio.
public final class HTTPListener: Sendable {
  public typealias Handler = @Sendable (HTTPRequest) -> HTTPAnswer
  /// Gets the status of each answer.
  public typealias Observer = @Sendable (HTTPStatus) -> Void

  /// The maximum number of connections. One more takes the place of the one that has waited longest
  /// for its request.
  public static let mostConnections = 32
  /// The maximum number of connections whose answers tasks make. A request for one more is refused
  /// with 429.
  public static let mostExchanges = 16

  /// The address with the actual port: `127.0.0.1:50053`.
  public let address: String
  private let waker: LoopWaker
  private let isStopped = Atomic(false)

  /// Listens on `HOST:PORT` or `[IPv6]:PORT` and starts the thread. `handler` runs on the thread and
  /// must not wait. With `security`, the listener speaks HTTPS only. `patience` is the time for a client
  /// to read an answer, or a part of an answer that a task makes. `answered` gets the answers of `handler`
  /// and those of the listener itself, such as 408 for a request that takes too long.
  public init(
    _ address: String, security: HTTPSecurity? = nil, patience: Duration = .seconds(10),
    answered: @escaping Observer = { _ in }, handler: @escaping Handler
  ) throws(ListeningError) {
    let socket = try ListeningSocket(address)
    self.address = socket.address
    do {
      waker = try LoopWaker(for: address)
    } catch {
      socket.close()
      throw error
    }
    let thread = Thread { [weak self, waker] in
      // On Linux, 0 is the calling thread.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
      var loop = HTTPLoop(socket, security, waker, patience, answered)
      while let self, !isStopped.load(ordering: .acquiring) { loop.turn(handler) }
      loop.close()
    }
    thread.name = "http"
    thread.start()
  }

  /// Closes all connections soon.
  public func stop() {
    guard !isStopped.exchange(true, ordering: .acquiringAndReleasing) else { return }
    waker.wake()
  }

  deinit { stop() }
}

/// The connections of a listener. For use on its thread only.
private struct HTTPLoop {
  /// The time for which no connection is accepted after the process ran out of descriptors.
  private static let pause = Duration.milliseconds(100)

  private let socket: ListeningSocket
  private let security: HTTPSecurity?
  private let waker: LoopWaker
  private let patience: Duration
  private let answered: HTTPListener.Observer
  private var connections: [HTTPConnection] = []
  /// A descriptor to give up when the process has no other, so that operators can still ask.
  private var reserve = open("/dev/null", O_RDONLY | O_CLOEXEC)
  private var pauseEnd = ContinuousClock.now

  init(
    _ socket: ListeningSocket, _ security: HTTPSecurity?, _ waker: LoopWaker, _ patience: Duration,
    _ answered: @escaping HTTPListener.Observer
  ) {
    self.socket = socket
    self.security = security
    self.waker = waker
    self.patience = patience
    self.answered = answered
  }

  /// Waits for events, and handles them.
  mutating func turn(_ handler: HTTPListener.Handler) {
    var now = ContinuousClock.now
    let accepts: Int16 = now >= pauseEnd ? Int16(POLLIN) : 0
    var files = [
      pollfd(fd: socket.descriptor, events: accepts, revents: 0),
      pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    files += connections.map { pollfd(fd: $0.descriptor, events: $0.wantedEvents, revents: 0) }
    _ = poll(&files, nfds_t(files.count), timeout(now))
    now = .now
    if files[1].revents != 0 { waker.drain() }
    for (index, file) in files.dropFirst(2).enumerated() {
      if file.revents != 0 { proceed(index, file.revents, now, handler) }
      connections[index].pass(now: now)
      connections[index].expire(now: now)
    }
    for connection in connections where connection.isOver { end(connection) }
    connections.removeAll { $0.isOver || $0.isUpgraded }
    if files[0].revents != 0 { accept(now: now) }
  }

  mutating func close() {
    for connection in connections { end(connection) }
    socket.close()
    if reserve >= 0 { Glibc.close(reserve) }
  }

  private mutating func proceed(
    _ index: Int, _ events: Int16, _ now: ContinuousClock.Instant, _ handler: HTTPListener.Handler
  ) {
    let isFull = connections.count(where: \.isWorking) >= HTTPListener.mostExchanges
    connections[index].proceed(events, now: now, waking: waker) { request in
      let answer = handler(request)
      if case .later = answer, isFull { return .refusal(.tooManyRequests) }
      return answer
    }
  }

  private func timeout(_ now: ContinuousClock.Instant) -> Int32 {
    var due = connections.map(\.deadline)
    if pauseEnd > now { due.append(pauseEnd) }
    guard let first = due.min() else { return -1 }
    return Int32(max(0, (first - now) / .milliseconds(1))) + 1
  }

  private mutating func accept(now: ContinuousClock.Instant) {
    var accepted = socket.accept()
    let isExhausted = accepted == nil && [EMFILE, ENFILE].contains(errno)
    if isExhausted, reserve >= 0 {
      Glibc.close(reserve)
      reserve = -1
      accepted = socket.accept()
    }
    guard let accepted else {
      if ![EAGAIN, EINTR, ECONNABORTED].contains(errno) { pauseEnd = now + Self.pause }
      return
    }
    makeRoom()
    connections.append(
      HTTPConnection(
        HTTPChannel(accepted.descriptor, security), peer: accepted.peer, usesReserve: isExhausted,
        patience: patience, now: now, answered: answered))
  }

  private mutating func makeRoom() {
    guard connections.count >= HTTPListener.mostConnections else { return }
    let index =
      connections.firstIndex(where: \.isReading) ?? connections.firstIndex { !$0.isWorking } ?? 0
    connections[index].dismiss()
    end(connections.remove(at: index))
  }

  private mutating func end(_ connection: HTTPConnection) {
    connection.abandon()
    Glibc.close(connection.descriptor)
    if connection.usesReserve { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }
  }
}
