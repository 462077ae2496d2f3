public import AnechoicAPI
public import AudioCore
internal import SwiftProtobuf
public import VoiceEngines
internal import VoiceSessions

extension Anechoic_V1_Engine {
  public init(_ identity: EngineIdentity) {
    self.init()
    name = identity.name
    version = identity.version
    weightsSha256 = identity.weights
  }
}

extension Anechoic_V1_EngineCapabilities {
  private init(
    _ type: any VoiceEngine.Type, isDefault: Bool, frameTimes: [SampleRate: Duration]
  ) {
    self.init()
    engine = Anechoic_V1_Engine(type.identity)
    self.isDefault = isDefault
    rates = type.processingRates.map { Rate($0, of: type, frameTime: frameTimes[$0]) }
  }

  /// Returns the capabilities of each engine, the default first.
  ///
  /// - Parameter frameTimes: The processor time that each engine needs for a frame, by its name.
  public static func all(
    _ catalog: EngineCatalog, frameTimes: [String: [SampleRate: Duration]]
  ) -> [Self] {
    catalog.engines.enumerated().map {
      Self($1, isDefault: $0 == 0, frameTimes: frameTimes[$1.identity.name] ?? [:])
    }
  }
}

extension Anechoic_V1_EngineCapabilities.Rate {
  fileprivate init(
    _ rate: SampleRate, of engine: any VoiceEngine.Type, frameTime: Duration?
  ) {
    self.init()
    func delay(hasReference: Bool) -> Google_Protobuf_Duration {
      Google_Protobuf_Duration(
        VoiceSession.algorithmicDelay(of: engine, rate: rate, hasReference: hasReference))
    }
    sampleRateHz = UInt32(rate.hertz)
    delayWithReference = delay(hasReference: true)
    delayWithoutReference = delay(hasReference: false)
    if let frameTime { self.frameTime = Google_Protobuf_Duration(frameTime) }
  }
}

extension EngineCatalog {
  /// Returns the engine that a start names. Throws if there is none with this name.
  public func engine(of start: Anechoic_V1_Start) throws(InvalidFieldError) -> any VoiceEngine.Type
  {
    do throws(UnknownEngineError) {
      return try engine(named: start.engine)
    } catch {
      throw InvalidFieldError("start.engine", error.description)
    }
  }
}
