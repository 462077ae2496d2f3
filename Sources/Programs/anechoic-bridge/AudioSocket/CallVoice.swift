/// The caller's voice at one rate.
struct CallVoice {
  /// The type of the messages with audio at this rate.
  let type: UInt8
  let rate: Int
  private let voice: ServedVoice

  init(type: UInt8, rate: Int, _ settings: BridgeSettings, call: String, of exchange: String) throws
  {
    self.type = type
    self.rate = rate
    voice = try ServedVoice(
      settings.voice, rate: rate, call: call, settings.echoPaths?.of(exchange), settings.metrics)
  }

  func close() { voice.close() }

  /// Returns the number of bytes of this time, whole samples.
  func bytes(_ seconds: Double) -> Int { Int(seconds * Double(rate)) * 2 }

  func seconds(_ bytes: Int) -> Double { Double(bytes / 2) / Double(rate) }

  /// Takes samples of one instant, and returns as many of the processed voice.
  func exchange(_ microphone: [UInt8], reference: [UInt8]) -> [UInt8] {
    let samples = Self.samples(microphone)
    voice.push(samples, reference: Self.samples(reference))
    return Self.bytes(of: voice.pull(samples.count))
  }

  static func samples(_ bytes: [UInt8]) -> [Int16] {
    bytes.withUnsafeBytes { [Int16]($0.bindMemory(to: Int16.self)) }
  }

  static func bytes(of samples: [Int16]) -> [UInt8] { samples.withUnsafeBytes { [UInt8]($0) } }

  /// Writes changes of the voice to the log.
  func report(to log: (String) -> Void, as call: String) {
    while let change = voice.nextChange() {
      if let words = change.line { log("call \(call): \(words)") }
    }
  }
}
