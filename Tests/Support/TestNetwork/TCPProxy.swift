import Dispatch
import Glibc
import Synchronization

/// A TCP proxy on this machine, whose connections a test can reset, silence or delay.
public final class TCPProxy: Sendable {
  public struct ProxyError: Error {
    let what: String
  }

  private struct Pair {
    let client: Int32
    let server: Int32
  }

  private struct State {
    var pairs: [Int: Pair] = [:]
    var last = 0
    var frozen: Set<Int> = []
    var refuses = false
    var isStopped = false
    var target: String
    /// The address from which the server is called, or nil for the system's choice.
    var source: String?
  }

  /// The host and the port.
  public let address: String
  private let jitter: Duration
  private let listener: Int32
  private let state: Mutex<State>

  /// Starts a proxy to `127.0.0.1:PORT` or `unix:PATH`, on an IPv4 address of this machine. Answers of the
  /// server are late by a random time of up to `jitter`, and in order.
  public init(
    to target: String, on host: String = "127.0.0.1", jitter: Duration = .zero
  ) throws {
    self.jitter = jitter
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    guard inet_pton(AF_INET, host, &name.sin_addr) == 1 else {
      throw ProxyError(what: "no address")
    }
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &name) { name in
      name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(listener, name, size) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, name, &size) == 0
      }
    }
    guard bound else { throw ProxyError(what: "cannot listen") }
    address = "\(host):\(UInt16(bigEndian: name.sin_port))"
    state = Mutex(State(target: target))
    Thread.run { [self] in acceptAll() }
  }

  /// Resets all connections. New ones are accepted.
  public func cut() {
    let pairs = state.withLock { state in
      state.frozen = []
      return Array(state.pairs.values)
    }
    for pair in pairs {
      for handle in [pair.client, pair.server] {
        var now = linger(l_onoff: 1, l_linger: 0)
        setsockopt(handle, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
        shutdown(handle, Int32(SHUT_RDWR))
      }
    }
  }

  /// Forwards nothing more on the present connections, but keeps them open. New ones work.
  public func freeze() {
    state.withLock { $0.frozen.formUnion($0.pairs.keys) }
  }

  /// Closes new connections at once, or accepts them again.
  public func refuse(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

  /// Connects new clients to another server.
  public func retarget(to target: String) { state.withLock { $0.target = target } }

  /// Calls a server that is not a unix socket from this IPv4 address of this machine.
  public func call(from source: String) { state.withLock { $0.source = source } }

  /// The number of open connections.
  public var connectionCount: Int { state.withLock { $0.pairs.count } }

  public func stop() {
    state.withLock { $0.isStopped = true }
    shutdown(listener, Int32(SHUT_RDWR))
    cut()
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      let (isOver, refuses, target, source) = state.withLock {
        ($0.isStopped, $0.refuses, $0.target, $0.source)
      }
      if isOver || client < 0 {
        if client >= 0 { close(client) }
        close(listener)
        return
      }
      guard !refuses, let server = Self.connect(to: target, from: source) else {
        close(client)
        continue
      }
      for handle in [client, server] {
        var on: Int32 = 1
        setsockopt(handle, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
        var limit = timeval(tv_sec: 0, tv_usec: 20_000)
        setsockopt(handle, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
      }
      let id = state.withLock { state in
        state.last += 1
        state.pairs[state.last] = Pair(client: client, server: server)
        return state.last
      }
      let ends = DispatchGroup()
      for (from, to) in [(client, server), (server, client)] {
        ends.enter()
        Thread.run { [self] in
          forward(from, to, id, jitter: from == server ? jitter : .zero)
          ends.leave()
        }
      }
      Thread.run { [self] in
        ends.wait()
        state.withLock { $0.pairs[id] = nil }
        close(client)
        close(server)
      }
    }
  }

  private func forward(_ from: Int32, _ to: Int32, _ id: Int, jitter: Duration) {
    var bytes = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      if state.withLock({ $0.frozen.contains(id) }) {
        usleep(5000)
        continue
      }
      if jitter > .zero { usleep(UInt32.random(in: 0...UInt32(jitter / .microseconds(1)))) }
      let count = recv(from, &bytes, bytes.count, 0)
      if count < 0, errno == EAGAIN || errno == EINTR { continue }
      if count <= 0 { break }
      var sent = 0
      while sent < count {
        let written = bytes[sent..<count].withUnsafeBytes {
          send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        if written <= 0 { break }
        sent += written
      }
      if sent < count { break }
    }
    shutdown(to, Int32(SHUT_RDWR))
    shutdown(from, Int32(SHUT_RDWR))
  }

  private static func connect(to target: String, from source: String?) -> Int32? {
    let isUnix = target.hasPrefix("unix:")
    let handle = socket(isUnix ? AF_UNIX : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let isConnected: Bool
    if isUnix {
      var name = sockaddr_un()
      name.sun_family = sa_family_t(AF_UNIX)
      let path = Array(target.dropFirst(5).utf8.prefix(107))
      withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path) }
      isConnected = withUnsafePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
    } else {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      if let source, inet_pton(AF_INET, source, &name.sin_addr) == 1 {
        withUnsafePointer(to: &name) { name in
          name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = bind(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
          }
        }
      }
      name.sin_port = (target.split(separator: ":").last.flatMap { UInt16($0) } ?? 0).bigEndian
      name.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      isConnected = withUnsafePointer(to: &name) { name in
        name.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
    }
    if isConnected { return handle }
    close(handle)
    return nil
  }
}

/// Threads of their own, because the threads of a pool must not block.
private enum Thread {
  static func run(_ body: @escaping @Sendable () -> Void) {
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        context.map { Unmanaged<Body>.fromOpaque($0).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    if result == 0 { pthread_detach(thread) } else { context.release() }
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
