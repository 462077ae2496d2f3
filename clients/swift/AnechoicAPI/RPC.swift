/// The names of the services and their methods.
public enum RPC {
  /// The header with the client's name.
  public static let clientName = "anechoic-client"
  /// The header with the id of the session that a call names or starts. Proxies choose the server of
  /// the call by this header. The server itself ignores it.
  public static let sessionKey = "anechoic-session"
  /// The header of a response with the id of the call in the server's log.
  public static let correlation = "anechoic-correlation"

  public static let voiceProcessing = "anechoic.v1.VoiceProcessingService"
  public static let process = "Process"
  public static let joinSession = "JoinSession"
  public static let getCapabilities = "GetCapabilities"

  public static let sessions = "anechoic.v1.SessionService"
  public static let listSessions = "ListSessions"
  public static let getSession = "GetSession"
  public static let updateSession = "UpdateSession"
  public static let deleteSession = "DeleteSession"
  public static let setMute = "SetMute"
  public static let reportMuteGesture = "ReportMuteGesture"
  public static let watchSession = "WatchSession"
  public static let requestInjectionPermission = "RequestInjectionPermission"
  public static let getInjectionStatus = "GetInjectionStatus"
  public static let watchInjection = "WatchInjection"
  public static let injectSpeech = "InjectSpeech"
  public static let recordSession = "RecordSession"

  public static let routing = "anechoic.v1.RoutingService"
  public static let arbitrate = "Arbitrate"
  public static let getRouting = "GetRouting"
  public static let chooseHolder = "ChooseHolder"

  public static let profiles = "anechoic.v1.SpatialProfileService"
  public static let uploadProfile = "UploadProfile"
  public static let listProfiles = "ListProfiles"
  public static let deleteProfile = "DeleteProfile"

  public static let edge = "anechoic.v1.EdgeService"
  public static let getEdgeStatus = "GetEdgeStatus"
  public static let watchEdgeStatus = "WatchEdgeStatus"
  public static let chooseRoute = "ChooseRoute"
  public static let setUpMicrophone = "SetUpMicrophone"
  public static let turnHead = "TurnHead"
  public static let playFarEnd = "PlayFarEnd"
  public static let testAudio = "TestAudio"
  public static let beginCall = "BeginCall"
  public static let endCall = "EndCall"
  public static let holdCall = "HoldCall"
  public static let decideInjection = "DecideInjection"
  public static let enrollVoice = "EnrollVoice"
  public static let forgetVoice = "ForgetVoice"

  public static let health = "grpc.health.v1.Health"
  public static let check = "Check"
  public static let list = "List"
  public static let watch = "Watch"

  public static let reflection = "grpc.reflection.v1.ServerReflection"
  /// The name of `reflection` for older clients, with the same messages.
  public static let reflectionAlpha = "grpc.reflection.v1alpha.ServerReflection"
  public static let serverReflectionInfo = "ServerReflectionInfo"
}
