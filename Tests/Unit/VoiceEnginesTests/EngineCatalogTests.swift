import BundledEngines
import TestEngines
import Testing
import VoiceEngines
import WebRTCEngine

struct EngineCatalogTests {
  private let catalog = EngineCatalog(WebRTCVoiceEngine.self, DelayEngine.self)

  @Test func theFirstEngineIsTheDefault() throws {
    #expect(catalog.names == ["webrtc-audio-processing", "delay"])
    #expect(catalog.defaultEngine.identity == WebRTCVoiceEngine.identity)
    #expect(try catalog.engine(named: "").identity == WebRTCVoiceEngine.identity)
  }

  @Test func anEngineIsFoundByItsName() throws {
    #expect(try catalog.engine(named: "delay").identity == DelayEngine.identity)
    #expect(
      try catalog.engine(named: "webrtc-audio-processing").identity == WebRTCVoiceEngine.identity)
  }

  @Test(arguments: ["Delay", "delay/1", "dela", " "])
  func anUnknownNameIsRefusedWithTheKnownNames(name: String) {
    let error = #expect(throws: UnknownEngineError.self) { try catalog.engine(named: name) }
    #expect(
      error?.description
        == "\"\(name)\" is not an engine of this program; use webrtc-audio-processing or delay")
    #expect(throws: UnknownEngineError.self) { try catalog.preferring(name) }
  }

  @Test func aLongUnknownNameIsCutOff() {
    let name = String(repeating: "ä", count: 1_000_000)
    let error = #expect(throws: UnknownEngineError.self) { try catalog.engine(named: name) }
    #expect((error?.description.utf8.count ?? .max) < 300)
    let shown = String(repeating: "ä", count: 63)
    #expect(error?.description.hasPrefix("\"\(shown)…\" is not an engine") == true)
  }

  @Test func anotherEngineCanBeTheDefault() throws {
    let other = try catalog.preferring("delay")
    #expect(other.names == ["delay", "webrtc-audio-processing"])
    #expect(try other.engine(named: "").identity == DelayEngine.identity)
    #expect(try catalog.preferring("").names == catalog.names)
  }

  @Test func theBundledEnginesHaveNamesThatFitIntoARecording() {
    for engine in EngineCatalog.bundled.engines {
      let identity = engine.identity
      #expect(identity.name.wholeMatch(of: /[a-z0-9-]{1,63}/) != nil)
      #expect(!identity.version.isEmpty)
      #expect(identity.weights.wholeMatch(of: /(?:[0-9a-f]{64})?/) != nil)
      #expect(EngineIdentity(release: identity.release, weights: identity.weights) == identity)
    }
  }
}
