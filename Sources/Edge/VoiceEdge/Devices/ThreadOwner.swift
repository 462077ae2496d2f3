/// An object that works on a thread of its own until it is stopped.
protocol ThreadOwner: AnyObject, Sendable {
  var thread: LoopThread { get }
}

extension ThreadOwner {
  func stop() { thread.stop() }

  func join() { thread.join() }
}
