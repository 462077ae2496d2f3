import Settings
import VoiceEdge

/// Returns the error for a configuration with this text.
func problem(_ text: String) -> String {
  do throws(SettingsError) {
    _ = try EdgeConfiguration.read(text, file: "edge.yaml")
    return "nothing is wrong"
  } catch {
    return error.description
  }
}
