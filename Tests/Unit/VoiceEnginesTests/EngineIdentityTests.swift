import Testing
import VoiceEngines

struct EngineIdentityTests {
  @Test func aReleaseIsReadAsItIsWritten() {
    let identity = EngineIdentity(name: "delay", version: "1.2/b", weights: "5a5a")
    #expect(identity.release == "delay/1.2/b")
    #expect(EngineIdentity(release: "delay/1.2/b", weights: "5a5a") == identity)
    #expect(EngineIdentity(release: "delay", weights: "") == .init(name: "delay", version: ""))
    #expect(EngineIdentity(release: "", weights: "") == .init(name: "", version: ""))
  }

  @Test func otherWeightsAreAnotherEngine() {
    let one = EngineIdentity(
      name: "delay", version: "1", weights: String(repeating: "5a", count: 32))
    let other = EngineIdentity(
      name: "delay", version: "1", weights: String(repeating: "c3", count: 32))
    #expect(one != other)
    #expect(one.description == "delay/1 (weights 5a5a5a5a5a5a)")
    #expect(EngineIdentity(name: "delay", version: "1").description == "delay/1")
  }
}
