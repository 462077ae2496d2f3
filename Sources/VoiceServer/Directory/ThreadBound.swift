/// A reference that crosses threads, to an object that is used on its own thread only: whoever
/// takes it out is there.
struct ThreadBound<Object: AnyObject>: @unchecked Sendable {
  private(set) weak var value: Object?

  init(_ value: Object?) { self.value = value }
}
