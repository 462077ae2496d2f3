internal import LiveVoice

/// The caller's voice at one rate.
struct CallVoice {
  /// The type of the messages with audio at this rate.
  let type: UInt8
  private let rate: Int
  private let voice: LiveVoice

  init(type: UInt8, rate: Int, _ settings: BridgeSettings, call: String) throws {
    self.type = type
    self.rate = rate
    var options = settings.voice
    options.microphone = LiveVoiceOptions.Format(sampleRate: rate)
    options.reference = LiveVoiceOptions.Format(sampleRate: rate)
    options.labels["call"] = call
    voice = try LiveVoice(options)
  }

  func close() { voice.close() }

  /// Returns the number of bytes of this time, whole samples.
  func bytes(_ seconds: Double) -> Int { Int(seconds * Double(rate)) * 2 }

  func seconds(_ bytes: Int) -> Double { Double(bytes / 2) / Double(rate) }

  /// Takes samples of one instant, and returns as many of the processed voice.
  func exchange(_ microphone: [UInt8], reference: [UInt8]) -> [UInt8] {
    let count = microphone.count / 2
    return withUnsafeTemporaryAllocation(of: Float.self, capacity: 2 * count) { floats in
      let inputs = (
        UnsafeMutableBufferPointer(rebasing: floats[..<count]),
        UnsafeMutableBufferPointer(rebasing: floats[count...])
      )
      for index in 0..<count {
        inputs.0[index] = Self.sample(microphone, index)
        inputs.1[index] = Self.sample(reference, index)
      }
      voice.push(
        microphone: UnsafeBufferPointer(inputs.0), reference: UnsafeBufferPointer(inputs.1))
      let pulled = voice.pull(into: inputs.0)
      var bytes: [UInt8] = []
      bytes.reserveCapacity(2 * count)
      for index in 0..<count {
        let value =
          index < pulled ? max(-32768, min(32767, (inputs.0[index] * 32768).rounded())) : 0
        let bits = UInt16(bitPattern: Int16(value))
        bytes.append(UInt8(bits & 0xff))
        bytes.append(UInt8(bits >> 8))
      }
      return bytes
    }
  }

  private static func sample(_ bytes: [UInt8], _ index: Int) -> Float {
    let bits = UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8
    return Float(Int16(bitPattern: bits)) / 32768
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
