internal import CDBus
internal import Glibc

/// The work of a connection's thread: sends calls, gives answers to their callers, and passes on signals
/// and the calls of other programs. Belongs to that thread.
final class BusLoop {
  private static let longestMessage = 1 << 20
  /// The maximum number of messages that wait for their reader.
  private static let mostMessages = 256
  /// The maximum number of calls that wait for their answers.
  private static let mostCalls = 256

  private struct Waiting {
    var deadline: ContinuousClock.Instant
    var continuation: CheckedContinuation<BusQueue.Answer, Never>
  }

  let queue: BusQueue
  let messages: AsyncStream<BusMessage>
  private let continuation: AsyncStream<BusMessage>.Continuation
  private let connection: OpaquePointer
  private let descriptor: Int32
  private var waiting: [UInt32: Waiting] = [:]
  private var isConnected = true

  /// Connects to a bus and greets it.
  init(_ address: BusAddress, within limit: Duration) throws(BusError) {
    queue = try BusQueue()
    var error = DBusError()
    dbus_error_init(&error)
    defer { dbus_error_free(&error) }
    guard let connection = dbus_connection_open_private(address.text, &error) else {
      let text = error.message.map { String(cString: $0) } ?? "cannot be reached"
      throw BusError(.disconnected, text)
    }
    self.connection = connection
    dbus_connection_set_exit_on_disconnect(connection, 0)
    dbus_connection_set_max_message_size(connection, Self.longestMessage)
    dbus_connection_set_max_received_size(connection, 4 * Self.longestMessage)
    dbus_connection_set_max_message_unix_fds(connection, 0)
    var descriptor: Int32 = -1
    dbus_connection_get_unix_fd(connection, &descriptor)
    self.descriptor = descriptor
    (messages, continuation) = AsyncStream.makeStream(
      of: BusMessage.self, bufferingPolicy: .bufferingOldest(Self.mostMessages))
    try greet(within: limit)
  }

  deinit {
    dbus_connection_close(connection)
    dbus_connection_unref(connection)
  }

  /// Asks the bus for a name of this connection, without which the bus accepts nothing else.
  private func greet(within limit: Duration) throws(BusError) {
    let end = ContinuousClock.now + limit
    var serial: UInt32 = 0
    guard let hello = MessageHandle(.bus("Hello")),
      dbus_connection_send(connection, hello.pointer, &serial) != 0
    else { throw .lost }
    while ContinuousClock.now < end {
      // Waits itself, because the connection does not tell during the authentication if it reads or
      // writes.
      guard dbus_connection_read_write(connection, 20) != 0 else { throw .lost }
      while let message = MessageHandle(owning: dbus_connection_pop_message(connection)) {
        guard message.replySerial == serial else { continue }
        if message.type == 3 { throw message.error }
        return
      }
    }
    throw BusError(.timedOut, "the bus does not answer")
  }

  /// Works until the connection is closed or lost.
  func run() {
    while !queue.isClosed {
      for letter in queue.take() { send(letter) }
      transfer()
      guard isConnected else { break }
      sleep()
      expire()
    }
    queue.end()
    for call in waiting.values { call.continuation.resume(returning: .failure(.lost)) }
    waiting = [:]
    continuation.finish()
  }

  private func send(_ letter: BusQueue.Letter) {
    switch letter {
    case .call(let call, let deadline, let continuation):
      var serial: UInt32 = 0
      guard waiting.count < Self.mostCalls, let message = MessageHandle(call),
        dbus_connection_send(connection, message.pointer, &serial) != 0
      else {
        let error = BusError(.invalid, "\(call.interface).\(call.method) cannot be called")
        return continuation.resume(returning: .failure(error))
      }
      waiting[serial] = Waiting(deadline: deadline, continuation: continuation)
    case .answer(let serial, let sender, let answer):
      if let message = MessageHandle(answering: serial, of: sender, answer) {
        dbus_connection_send(connection, message.pointer, nil)
      }
    }
  }

  /// Sends and receives as much as possible without waiting.
  private func transfer() {
    repeat {
      if dbus_connection_read_write(connection, 0) == 0 { isConnected = false }
      while let message = MessageHandle(owning: dbus_connection_pop_message(connection)) {
        receive(message)
      }
    } while isConnected && isReady(descriptor)
  }

  private func receive(_ message: borrowing MessageHandle) {
    switch message.type {
    case 1 where message.wantsAnswer: pass(message.message(.call(serial: message.serial)))
    case 1: pass(message.message(.call(serial: 0)))
    case 2: answer(message, .success(message.arguments))
    case 3: answer(message, .failure(message.error))
    default:
      if message.isSignal("org.freedesktop.DBus.Local", "Disconnected") { isConnected = false }
      pass(message.message(.signal))
    }
  }

  private func answer(_ message: borrowing MessageHandle, _ answer: BusQueue.Answer) {
    waiting.removeValue(forKey: message.replySerial)?.continuation.resume(returning: answer)
  }

  /// Passes a message on. If the reader is too slow, the connection ends, because a reader that misses a
  /// message would believe something wrong. It may connect again.
  private func pass(_ message: BusMessage) {
    if case .dropped = continuation.yield(message) { isConnected = false }
  }

  /// Waits for the bus, a letter, or the next deadline.
  private func sleep() {
    let deadline = waiting.values.map(\.deadline).min()
    let limit = deadline.map { max(.zero, $0 - .now) / .milliseconds(1) + 1 } ?? -1
    let writes = dbus_connection_has_messages_to_send(connection) != 0 ? POLLOUT : 0
    var descriptors = [
      pollfd(fd: descriptor, events: Int16(POLLIN | writes), revents: 0),
      pollfd(fd: queue.wakeUp, events: Int16(POLLIN), revents: 0),
    ]
    _ = poll(&descriptors, 2, Int32(limit))
  }

  private func isReady(_ descriptor: Int32) -> Bool {
    var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&one, 1, 0) > 0
  }

  private func expire() {
    let now = ContinuousClock.now
    for (serial, call) in waiting where call.deadline <= now {
      waiting[serial] = nil
      call.continuation.resume(returning: .failure(BusError(.timedOut, "no answer in time")))
    }
  }
}
