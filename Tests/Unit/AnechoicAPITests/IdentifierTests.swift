import AnechoicAPI
import Testing

struct IdentifierTests {
  @Test(arguments: ["a", "edge-kiosk_7.b", "Z09", String(repeating: "a", count: 63)])
  func aValidIDIsAccepted(id: String) { #expect(Identifier.isValid(id)) }

  @Test(arguments: ["", " ", "a b", "a/b", "tür", "a\n", String(repeating: "a", count: 64)])
  func anInvalidIDIsRefused(id: String) { #expect(!Identifier.isValid(id)) }
}
