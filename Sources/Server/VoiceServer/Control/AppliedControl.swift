internal import VoiceSessions

/// The state of a session after a control, and the microphone's sample at which it was applied.
struct AppliedControl: Sendable {
  let state: SessionState
  let sample: Int64
}
