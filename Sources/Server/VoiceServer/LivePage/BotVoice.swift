internal import Operations
internal import SpeechSynthesis

/// The voice of the bot on the page `/try`. The server speaks it once, when a page asks for it first.
actor BotVoice {
  /// The text of the bot, which the page repeats.
  static let text = """
    Hello. I am the bot on this page, and I talk while you talk. Say something over me. The server \
    hears both of us in your microphone, and takes me out. Then compare the two recordings. In the \
    first one you hear us both. In the second one, only you should be left. I will go on until you \
    stop me.
    """

  private var spoken: Task<[UInt8], any Error>?

  /// Returns the voice as a WAV file, or the reason why the server has none.
  func response() async -> HTTPResponse {
    do {
      let task = spoken ?? Task { Self.wave(try await SpeechSynthesizer.shared.speak(Self.text)) }
      spoken = task
      var response = HTTPResponse(try await task.value, contentType: "audio/wav")
      response.headers = PageFiles.headers
      return response
    } catch {
      spoken = nil
      return HTTPResponse("\(error)\n", status: .serviceUnavailable)
    }
  }

  /// Returns speech as a WAV file with one channel of 16 bits.
  private static func wave(_ speech: Speech) -> [UInt8] {
    let size = 2 * speech.samples.count
    func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    var file = Array("RIFF".utf8) + little(UInt32(36 + size)) + Array("WAVEfmt ".utf8)
    file += little(UInt32(16)) + little(UInt16(1)) + little(UInt16(1))
    file += little(UInt32(speech.sampleRate)) + little(UInt32(2 * speech.sampleRate))
    file += little(UInt16(2)) + little(UInt16(16)) + Array("data".utf8) + little(UInt32(size))
    for sample in speech.samples {
      file += little(Int16(max(-1, min(1, sample)) * 32767))
    }
    return file
  }
}
