internal import Dispatch
internal import Glibc
internal import GRPCTransport

/// A signal from a thread that must not wait to a task. Signals that come before the task looks are one.
final class Wakeup: @unchecked Sendable {
  /// The signals. One task at a time may wait for them.
  let signals: AsyncStream<Void>
  private let writer: Int32
  private let source: any DispatchSourceRead

  /// Throws RESOURCE_EXHAUSTED if the process may open no more files.
  init() throws(Status) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Status(.resourceExhausted, "the process may open no more files")
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    let (reader, writer) = (ends[0], ends[1])
    let (signals, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let source = DispatchSource.makeReadSource(fileDescriptor: reader)
    source.setEventHandler {
      var bytes: (UInt64, UInt64) = (0, 0)
      while read(reader, &bytes, 16) > 0 {}
      continuation.yield()
    }
    source.setCancelHandler { close(reader) }
    source.activate()
    (self.signals, self.writer, self.source) = (signals, writer, source)
  }

  deinit {
    source.cancel()
    close(writer)
  }

  /// Wakes the task after a time.
  func signal(after delay: Duration) {
    guard delay > .zero else { return signal() }
    Task {
      try? await Task.sleep(for: delay)
      signal()
    }
  }

  /// Wakes the task. Neither waits, locks nor allocates.
  func signal() {
    var byte: UInt8 = 1
    write(writer, &byte, 1)
  }
}
