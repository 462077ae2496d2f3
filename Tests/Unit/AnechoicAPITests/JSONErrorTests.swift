internal import AnechoicAPI
internal import Testing

/// The words for a field of JSON that cannot be decoded.
@Suite struct JSONErrorTests {
  private static func fault(_ object: [String: Any]) -> JSONError? {
    do throws(JSONError) {
      _ = try Anechoic_V1_ProcessRequest(jsonObject: object)
      return nil
    } catch {
      return error
    }
  }

  @Test func bytesMustBeBase64() {
    let fault = Self.fault(["control": ["set_voiceprint": ["voiceprint": ["values": "???"]]]])
    #expect(fault?.path == ["control", "set_voiceprint", "voiceprint", "values"])
    #expect(fault?.problem == "the value must be in base64")
  }

  @Test func anEnumNamesItsCases() {
    let fault = Self.fault(["start": ["config": ["preferred_mic_mode": "LOUD"]]])
    #expect(fault?.path == ["start", "config", "preferred_mic_mode"])
    #expect(fault?.problem.hasPrefix("\"LOUD\" is not one of MIC_MODE_STANDARD, ") == true)
  }

  @Test func anUnknownFieldIsNamed() {
    let fault = Self.fault(["start": ["loud": true]])
    #expect(fault?.description == "start.loud: there is no such field")
  }
}
