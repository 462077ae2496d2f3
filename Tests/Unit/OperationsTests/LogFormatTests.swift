import Operations
import Testing

struct LogFormatTests {
  @Test func aFormatIsChosenByName() { #expect(LogFormat(rawValue: "json") == .json) }
}
