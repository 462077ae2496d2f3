public import CAnechoic
internal import LiveVoice

// The functions of anechoic.h, which describes them. They are public, because an optimized build hides
// all others.

private typealias Session = OpaquePointer

private func voice(_ session: Session) -> LiveVoice {
  Unmanaged<LiveVoice>.fromOpaque(UnsafeRawPointer(session)).takeUnretainedValue()
}

@_cdecl("anechoic_options_init")
public func initializeOptions(_ options: UnsafeMutablePointer<anechoic_options>) {
  options.pointee = anechoic_options()
  options.pointee.size = MemoryLayout<anechoic_options>.size
  options.pointee.sample_rate_hz = 48000
  options.pointee.microphone_channels = 1
  options.pointee.delay_ms = 120
}

@_cdecl("anechoic_open")
public func open(
  _ options: UnsafePointer<anechoic_options>, _ message: UnsafeMutablePointer<CChar>?,
  _ messageSize: Int
) -> OpaquePointer? {
  do {
    guard options.pointee.size == MemoryLayout<anechoic_options>.size else {
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

@_cdecl("anechoic_push")
public func push(
  _ session: OpaquePointer, _ microphone: UnsafePointer<Float>,
  _ reference: UnsafePointer<Float>?, _ frames: Int
) {
  let voice = voice(session)
  let channels = voice.options.microphone.channels
  voice.push(
    microphone: UnsafeBufferPointer(start: microphone, count: frames * channels),
    reference: reference.map {
      UnsafeBufferPointer(start: $0, count: frames * (voice.options.reference?.channels ?? 0))
    })
}

@_cdecl("anechoic_push_int16")
public func pushIntegers(
  _ session: OpaquePointer, _ microphone: UnsafePointer<Int16>,
  _ reference: UnsafePointer<Int16>?, _ frames: Int
) {
  let voice = voice(session)
  let channels = voice.options.microphone.channels
  voice.push(
    microphone: UnsafeBufferPointer(start: microphone, count: frames * channels),
    reference: reference.map {
      UnsafeBufferPointer(start: $0, count: frames * (voice.options.reference?.channels ?? 0))
    })
}

@_cdecl("anechoic_pull")
public func pull(
  _ session: OpaquePointer, _ output: UnsafeMutablePointer<Float>, _ frames: Int
) -> Int {
  let voice = voice(session)
  return voice.pull(
    into: UnsafeMutableBufferPointer(
      start: output, count: frames * voice.options.microphone.channels))
}

@_cdecl("anechoic_pull_int16")
public func pullIntegers(
  _ session: OpaquePointer, _ output: UnsafeMutablePointer<Int16>, _ frames: Int
) -> Int {
  let voice = voice(session)
  return voice.pull(
    into: UnsafeMutableBufferPointer(
      start: output, count: frames * voice.options.microphone.channels))
}

@_cdecl("anechoic_next_event")
public func nextEvent(_ session: OpaquePointer, _ event: UnsafeMutablePointer<anechoic_event>)
  -> Bool
{
  guard let next = voice(session).nextEvent() else { return false }
  event.pointee = anechoic_event(next)
  return true
}

@_cdecl("anechoic_is_processing")
public func isProcessing(_ session: OpaquePointer) -> Bool { voice(session).isProcessing }

@_cdecl("anechoic_set_muted")
public func setMuted(_ session: OpaquePointer, _ muted: Bool) { voice(session).setMuted(muted) }

@_cdecl("anechoic_is_muted")
public func isMuted(_ session: OpaquePointer) -> Bool { voice(session).isMuted }

@_cdecl("anechoic_decide_gesture")
public func decideGesture(_ session: OpaquePointer, _ id: UnsafePointer<CChar>, _ accept: Bool) {
  voice(session).decideGesture(String(cString: id), accept: accept)
}

@_cdecl("anechoic_decide_injection")
public func decideInjection(_ session: OpaquePointer, _ client: UnsafePointer<CChar>, _ grant: Bool)
{
  voice(session).decideInjection(by: String(cString: client), grant: grant)
}

@_cdecl("anechoic_close")
public func close(_ session: OpaquePointer?) {
  guard let session else { return }
  let voice = Unmanaged<LiveVoice>.fromOpaque(UnsafeRawPointer(session)).takeRetainedValue()
  voice.close()
}
