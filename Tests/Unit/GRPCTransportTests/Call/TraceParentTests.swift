import GRPCTransport
import Testing

struct TraceParentTests {
  private static let trace = "0af7651916cd43dd8448eb211c80319c"
  private static let span = "b7ad6b7169203331"

  @Test(arguments: [("00", false), ("01", true), ("03", true), ("fe", false)])
  func aHeaderIsRead(flags: String, isSampled: Bool) throws {
    let parent = try #require(TraceParent("00-\(Self.trace)-\(Self.span)-\(flags)"))
    #expect(parent.trace.description == Self.trace && parent.isSampled == isSampled)
    #expect(TraceParent.digits(parent.span) == Self.span)
    #expect(TraceParent(parent.description) == parent)
  }

  /// Later versions may add fields.
  @Test func aLaterVersionIsRead() {
    #expect(TraceParent("cc-\(Self.trace)-\(Self.span)-01-more")?.isSampled == true)
  }

  @Test(arguments: [
    "", "00", "ff-\(trace)-\(span)-01", "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)",
    "00-\(trace)-0000000000000000-01", "00-00000000000000000000000000000000-\(span)-01",
    "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-0g", "00-\(trace)--01",
    "0-\(trace)-\(span)-01", " 00-\(trace)-\(span)-01", "00-\(trace)0-\(span)-01",
  ])
  func anotherFormIsRefused(header: String) {
    #expect(TraceParent(header) == nil)
  }
}
