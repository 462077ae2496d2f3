public import CAnechoic
internal import LiveVoice

// The functions of anechoic.h, which describes them. They are public, because an optimized build hides
// all others.

// A NULL session, array or text, and a count that no array can have, such as -1, do nothing.

private func voice(_ session: OpaquePointer?) -> LiveVoice? {
  session.map { Unmanaged<LiveVoice>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// The most sample frames of one call.
private let mostFrames = Int(Int32.max)

@_cdecl("anechoic_options_init")
public func initializeOptions(_ options: UnsafeMutablePointer<anechoic_options>?) {
  guard let options else { return }
  options.pointee = anechoic_options()
  options.pointee.size = MemoryLayout<anechoic_options>.size
  options.pointee.sample_rate_hz = 48000
  options.pointee.microphone_channels = 1
  options.pointee.delay_ms = 120
}

@_cdecl("anechoic_open")
public func open(
  _ options: UnsafePointer<anechoic_options>?, _ message: UnsafeMutablePointer<CChar>?,
  _ messageSize: Int
) -> OpaquePointer? {
  do {
    guard let options, options.pointee.size == MemoryLayout<anechoic_options>.size else {
      throw OptionsNotInitialized()
    }
    let voice = try LiveVoice(LiveVoiceOptions(options.pointee))
    return OpaquePointer(Unmanaged.passRetained(voice).toOpaque())
  } catch {
    if let message, messageSize > 0 {
      CText.copy("\(error)", to: UnsafeMutableRawBufferPointer(start: message, count: messageSize))
    }
    return nil
  }
}

private struct OptionsNotInitialized: Error, CustomStringConvertible {
  var description: String { "size: call anechoic_options_init first" }
}

/// Returns the samples of an array, or nil if there is none.
private func buffer<Sample>(
  _ start: UnsafePointer<Sample>?, _ frames: Int, channels: Int
) -> UnsafeBufferPointer<Sample>? {
  guard let start, 0...mostFrames ~= frames else { return nil }
  return UnsafeBufferPointer(start: start, count: frames * channels)
}

@_cdecl("anechoic_push")
public func push(
  _ session: OpaquePointer?, _ microphone: UnsafePointer<Float>?,
  _ reference: UnsafePointer<Float>?, _ frames: Int
) {
  guard let voice = voice(session),
    let samples = buffer(microphone, frames, channels: voice.options.microphone.channels)
  else { return }
  let channels = voice.options.reference?.channels ?? 0
  voice.push(microphone: samples, reference: buffer(reference, frames, channels: channels))
}

@_cdecl("anechoic_push_int16")
public func pushIntegers(
  _ session: OpaquePointer?, _ microphone: UnsafePointer<Int16>?,
  _ reference: UnsafePointer<Int16>?, _ frames: Int
) {
  guard let voice = voice(session),
    let samples = buffer(microphone, frames, channels: voice.options.microphone.channels)
  else { return }
  let channels = voice.options.reference?.channels ?? 0
  voice.push(microphone: samples, reference: buffer(reference, frames, channels: channels))
}

@_cdecl("anechoic_pull")
public func pull(
  _ session: OpaquePointer?, _ output: UnsafeMutablePointer<Float>?, _ frames: Int
) -> Int {
  guard let voice = voice(session),
    let samples = buffer(output, frames, channels: voice.options.microphone.channels)
  else { return 0 }
  return voice.pull(into: UnsafeMutableBufferPointer(mutating: samples))
}

@_cdecl("anechoic_pull_int16")
public func pullIntegers(
  _ session: OpaquePointer?, _ output: UnsafeMutablePointer<Int16>?, _ frames: Int
) -> Int {
  guard let voice = voice(session),
    let samples = buffer(output, frames, channels: voice.options.microphone.channels)
  else { return 0 }
  return voice.pull(into: UnsafeMutableBufferPointer(mutating: samples))
}

@_cdecl("anechoic_next_event")
public func nextEvent(
  _ session: OpaquePointer?, _ event: UnsafeMutablePointer<anechoic_event>?
) -> Bool {
  guard let event, let next = voice(session)?.nextEvent() else { return false }
  event.pointee = anechoic_event(next)
  return true
}

@_cdecl("anechoic_is_processing")
public func isProcessing(_ session: OpaquePointer?) -> Bool {
  voice(session)?.isProcessing ?? false
}

@_cdecl("anechoic_set_muted")
public func setMuted(_ session: OpaquePointer?, _ muted: Bool) { voice(session)?.setMuted(muted) }

@_cdecl("anechoic_is_muted")
public func isMuted(_ session: OpaquePointer?) -> Bool { voice(session)?.isMuted ?? false }

@_cdecl("anechoic_decide_gesture")
public func decideGesture(_ session: OpaquePointer?, _ id: UnsafePointer<CChar>?, _ accept: Bool) {
  guard let id else { return }
  voice(session)?.decideGesture(String(cString: id), accept: accept)
}

@_cdecl("anechoic_decide_injection")
public func decideInjection(
  _ session: OpaquePointer?, _ client: UnsafePointer<CChar>?, _ grant: Bool
) {
  guard let client else { return }
  voice(session)?.decideInjection(by: String(cString: client), grant: grant)
}

@_cdecl("anechoic_close")
public func close(_ session: OpaquePointer?) {
  guard let session else { return }
  let voice = Unmanaged<LiveVoice>.fromOpaque(UnsafeRawPointer(session)).takeRetainedValue()
  voice.close()
}
