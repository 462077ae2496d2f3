/// The names of the services and their methods.
public enum RPC {
  public static let voiceProcessing = "anechoic.v1.VoiceProcessingService"
  public static let process = "Process"
  public static let getCapabilities = "GetCapabilities"

  public static let health = "grpc.health.v1.Health"
  public static let check = "Check"
  public static let list = "List"
  public static let watch = "Watch"
}
