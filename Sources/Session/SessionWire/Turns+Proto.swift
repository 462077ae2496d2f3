internal import AnechoicAPI
internal import SwiftProtobuf
internal import VoiceSessions

extension SessionConfiguration.Turns {
  private static let pauses = Duration.milliseconds(200)...Duration.seconds(10)

  init(_ detection: Anechoic_V1_TurnDetection, path: String) throws(InvalidFieldError) {
    self.init()
    isEnabled = detection.enabled
    if detection.hasEndProbability {
      guard detection.endProbability > 0, detection.endProbability <= 1 else {
        throw InvalidFieldError(
          "\(path).end_probability",
          "\(detection.endProbability) is not valid; use a number above 0 and up to 1")
      }
      endProbability = detection.endProbability
    }
    if detection.hasLongestPause {
      longestPause = try Duration(
        detection.longestPause, upTo: Self.pauses.upperBound, path: "\(path).longest_pause")
      guard longestPause >= Self.pauses.lowerBound else {
        throw InvalidFieldError("\(path).longest_pause", "is too short; use 200 ms to 10 s")
      }
    }
  }
}

extension Anechoic_V1_TurnDetection {
  init(_ turns: SessionConfiguration.Turns) {
    self.init()
    enabled = turns.isEnabled
    endProbability = turns.endProbability
    longestPause = Google_Protobuf_Duration(turns.longestPause)
  }
}

extension Anechoic_V1_SessionEvent.OneOf_Event {
  init(_ event: TurnEvent) {
    self =
      switch event {
      case .started(let beganAt, let probability):
        .turnStarted(
          .with {
            $0.beganAtSample = beganAt
            $0.probability = probability
          })
      case .mayEnd(let silentFrom, let probability):
        .turnMayEnd(
          .with {
            $0.silentFromSample = silentFrom
            $0.probability = probability
          })
      case .continued(let beganAt): .turnContinued(.with { $0.beganAtSample = beganAt })
      case .ended(let silentFrom, let probability):
        .turnEnded(
          .with {
            $0.silentFromSample = silentFrom
            $0.probability = probability
          })
      case .interruption(let beganAt, let probability):
        .turnInterruption(
          .with {
            $0.beganAtSample = beganAt
            $0.probability = probability
          })
      case .backchannel(let beganAt, let probability):
        .backchannel(
          .with {
            $0.beganAtSample = beganAt
            $0.probability = probability
          })
      case .notSpeech(let beganAt, let probability):
        .notSpeech(
          .with {
            $0.beganAtSample = beganAt
            $0.probability = probability
          })
      }
  }
}
