/// A weak reference that may be passed between threads, to an object that belongs to one thread.
/// Read `value` on that thread only.
struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object?) { self.value = value }
}
