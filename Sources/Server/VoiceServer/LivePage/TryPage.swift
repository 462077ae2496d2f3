public import Operations

/// The page `/try`, on which people speak into the microphone of a browser and hear themselves before
/// and after. The page is a client of `ProcessDoor`.
public struct TryPage: Sendable {
  private let refusal: String?

  /// Creates the page. `refusal` is the reason why the page is switched off, or nil.
  public init(_ refusal: String? = nil) { self.refusal = refusal }

  /// Returns the answer to a request, or nil if the path is not one of the page.
  public func answer(_ request: HTTPRequest) -> HTTPAnswer? {
    PageFiles.trying.answer(request, refusal).map { .complete($0) }
  }
}
