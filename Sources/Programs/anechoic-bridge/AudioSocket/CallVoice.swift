internal import LiveVoice

/// The caller's voice at one rate.
struct CallVoice {
  /// The type of the messages with audio at this rate.
  let type: UInt8
  private let rate: Int
  private let voice: LiveVoice

  init(type: UInt8, rate: Int, _ settings: BridgeSettings, call: String, of exchange: String) throws
  {
    self.type = type
    self.rate = rate
    var options = settings.voice
    options.microphone = LiveVoiceOptions.Format(sampleRate: rate)
    options.reference = LiveVoiceOptions.Format(sampleRate: rate)
    options.labels["call"] = call
    settings.echoPaths?.of(exchange).apply(to: &options)
    voice = try LiveVoice(options)
  }

  func close() { voice.close() }

  /// Returns the number of bytes of this time, whole samples.
  func bytes(_ seconds: Double) -> Int { Int(seconds * Double(rate)) * 2 }

  func seconds(_ bytes: Int) -> Double { Double(bytes / 2) / Double(rate) }

  /// Takes samples of one instant, and returns as many of the processed voice.
  func exchange(_ microphone: [UInt8], reference: [UInt8]) -> [UInt8] {
    microphone.withUnsafeBytes { microphone in
      reference.withUnsafeBytes { reference in
        voice.push(
          microphone: microphone.bindMemory(to: Int16.self),
          reference: reference.bindMemory(to: Int16.self))
      }
    }
    var output = [UInt8](repeating: 0, count: microphone.count)
    _ = output.withUnsafeMutableBytes { voice.pull(into: $0.bindMemory(to: Int16.self)) }
    return output
  }

  /// Writes changes of the voice to the log.
  func report(to log: (String) -> Void, as call: String) {
    while let event = voice.nextEvent() {
      switch event {
      case .processing(let session): log("call \(call): processed by \(session)")
      case .fallback(let reason): log("call \(call): not processed: \(reason)")
      case .late(let time):
        log("call \(call): processed sound came \(Int(time / .milliseconds(1))) ms too late")
      case .session: break
      }
    }
  }
}
