internal import AnechoicEngine
public import VoiceEngines
internal import WebRTCEngine

extension EngineCatalog {
  /// The engines of this package's programs. The tests of the engines' contract run for each of them.
  public static let bundled = EngineCatalog(
    AnechoicVoiceEngine.self, WebRTCVoiceEngine.self)
}
