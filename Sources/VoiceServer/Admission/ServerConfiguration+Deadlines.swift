internal import GRPCTransport

extension ServerConfiguration {
  /// For a client to send its first message.
  var startDeadline: CallDeadline {
    CallDeadline(limits.startDeadline, .startTimeout(limits.startDeadline))
  }

  /// For the client of a session to read.
  func unreadDeadline(isRealTime: Bool) -> CallDeadline {
    let limit = isRealTime ? slowConsumerTimeout : stalledConsumerTimeout
    return CallDeadline(limit, .slowConsumer(limit))
  }

  /// For a watcher to read.
  var watcherDeadline: CallDeadline { CallDeadline(slowWatcherTimeout, .slowWatcher) }

  /// For a recorder to read, also after the session has ended.
  var recorderDeadline: CallDeadline { CallDeadline(stalledConsumerTimeout, .slowRecorder) }
}
