internal import GRPCTransport

extension ServerConfiguration {
  /// The deadline for a client to send its first message.
  var startDeadline: CallDeadline {
    CallDeadline(limits.startDeadline, .startTimeout(limits.startDeadline))
  }

  /// Returns the deadline for the client of a session to read.
  func unreadDeadline(isRealTime: Bool) -> CallDeadline {
    let limit = isRealTime ? slowConsumerTimeout : stalledConsumerTimeout
    return CallDeadline(limit, .slowConsumer(limit))
  }

  /// The deadline for a watcher to read.
  var watcherDeadline: CallDeadline { CallDeadline(slowWatcherTimeout, .slowWatcher) }

  /// The deadline for a recorder to read, also after the session has ended.
  var recorderDeadline: CallDeadline { CallDeadline(stalledConsumerTimeout, .slowRecorder) }
}
