/// Does its work on a thread of its own until it is told to stop.
protocol ThreadOwner: AnyObject, Sendable {
  var thread: LoopThread { get }
}

extension ThreadOwner {
  func stop() { thread.stop() }

  func join() { thread.join() }
}
