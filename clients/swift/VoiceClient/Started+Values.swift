package import AnechoicAPI
internal import SwiftProtobuf

extension Anechoic_V1_Started {
  /// The delay from the microphone to the processed output.
  package var processingDelay: Duration { Duration(algorithmicDelay) }

  /// The id of the session: its name without the collection.
  package var sessionID: String { String(session.dropFirst("sessions/".count)) }
}
