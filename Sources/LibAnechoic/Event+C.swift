internal import AnechoicAPI
internal import CAnechoic
internal import LiveVoice
internal import SwiftProtobuf

extension anechoic_event {
  /// Creates the event for a C program.
  init(_ event: LiveVoiceEvent) {
    self.init()
    sample = -1
    switch event {
    case .processing(let session): set(ANECHOIC_EVENT_PROCESSING, text: session)
    case .fallback(let reason): set(ANECHOIC_EVENT_FALLBACK, text: reason)
    case .late(let time):
      set(ANECHOIC_EVENT_LATE, Int32(clamping: Int((time / .milliseconds(1)).rounded(.up))))
    case .session(let event):
      sample = event.microphoneSample
      take(event)
    }
  }

  private mutating func take(_ event: Anechoic_V1_SessionEvent) {
    switch event.event {
    case .voiceActivityChanged(let change) where change.side == .nearEnd:
      set(ANECHOIC_EVENT_VOICE_ACTIVITY, change.active ? 1 : 0)
    case .mutedSpeechActivity(let change):
      set(ANECHOIC_EVENT_MUTED_SPEECH, change.activity == .started ? 1 : 0)
    case .muteChanged(let change):
      set(ANECHOIC_EVENT_MUTE_CHANGED, change.state.muted ? 1 : 0)
    case .muteGestureRequested(let gesture):
      set(
        ANECHOIC_EVENT_GESTURE_REQUESTED, gesture.proposedMuted ? 1 : 0, text: gesture.gestureID)
    case .injectionPermissionRequested(let request):
      set(ANECHOIC_EVENT_INJECTION_REQUESTED, text: request.client)
    default: set(ANECHOIC_EVENT_OTHER, text: (try? event.jsonString()) ?? "")
    }
  }

  private mutating func set(
    _ kind: anechoic_event_kind, _ value: Int32 = 0, text newText: String = ""
  ) {
    self.kind = kind
    self.value = value
    CText.copy(newText, to: &text)
  }
}

/// The text of a C program, in a buffer of fixed size.
enum CText {
  /// Copies the text, cut to the size, with a 0 at its end.
  static func copy<Buffer>(_ text: String, to buffer: inout Buffer) {
    withUnsafeMutableBytes(of: &buffer) { copy(text, to: $0) }
  }

  static func copy(_ text: String, to bytes: UnsafeMutableRawBufferPointer) {
    guard !bytes.isEmpty else { return }
    var text = text
    while text.utf8.count >= bytes.count { text.removeLast() }
    bytes.copyBytes(from: text.utf8)
    bytes[text.utf8.count] = 0
  }
}
