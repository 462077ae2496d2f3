/// Sound between a ring and what a program uses (a device, a FIFO or a file), on a thread of its own.
protocol ProgramStream: AnyObject, Sendable {
  func stop()
  func join()
}

extension DeviceLoop: ProgramStream {}
