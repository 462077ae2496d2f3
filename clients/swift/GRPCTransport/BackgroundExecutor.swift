internal import CGRPC
internal import Foundation
internal import Synchronization

/// An executor of tasks on threads with a lower priority than the threads that serve audio. It has
/// as many threads as the machine has cores, but at least two.
public final class BackgroundExecutor: TaskExecutor {
  public static let shared = BackgroundExecutor()

  private let threads: [BackgroundThread]
  private let next = Atomic(0)

  private init() {
    threads = (0..<max(2, ProcessInfo.processInfo.activeProcessorCount)).map {
      BackgroundThread(
        queue: cgrpc_queue_create("background-\($0)", Int32(CGRPC_BACKGROUND_NICENESS), false))
    }
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
    let thread = threads[Int(UInt(bitPattern: index) % UInt(threads.count))]
    // The timer is never nil, because these queues are not shut down.
    _ = Timer(on: thread.queue, after: .zero) { job.runSynchronously(on: executor) }
  }
}

/// A queue with its own thread. The queues of libgrpc may be used from any thread.
private struct BackgroundThread: @unchecked Sendable {
  let queue: OpaquePointer
}
