import GRPCTransport
import LiveVoice
import ScriptedSessions
import Synchronization
import Testing
import TestTime

/// A live voice at a scripted server, with a microphone in real time whose samples are all 0.5. The server
/// returns -0.5.
final class RunningVoice: Sendable {
  /// A kind of sound.
  enum Sound: Sendable { case processed, raw, silent, fading }

  let sessions: ScriptedSessions
  let voice: LiveVoice
  private let heard = Mutex<[Sound]>([])

  private init(_ sessions: ScriptedSessions, _ options: LiveVoiceOptions) throws {
    self.sessions = sessions
    voice = try LiveVoice(options)
  }

  /// Runs `body` with a voice. Its delay is 100 ms.
  static func run(
    _ change: (inout LiveVoiceOptions, inout SessionScript) -> Void = { _, _ in },
    _ body: (RunningVoice) async throws -> Void
  ) async throws {
    let sessions = try ScriptedSessions()
    var options = LiveVoiceOptions(
      server: sessions.address, microphone: .init(sampleRate: 16000))
    options.delay = .milliseconds(100)
    var script = SessionScript()
    change(&options, &script)
    sessions.script { [script] in $0 = script }
    let running = try RunningVoice(sessions, options)
    let microphone = Task { try await running.exchange() }
    do {
      try await body(running)
    } catch {
      microphone.cancel()
      running.voice.close()
      await sessions.stop()
      throw error
    }
    microphone.cancel()
    running.voice.close()
    await sessions.stop()
  }

  private func exchange() async throws {
    let device = Metronome(every: .milliseconds(10))
    let input = [Float](repeating: 0.5, count: 160)
    for frame in 1... {
      input.withUnsafeBufferPointer { voice.push(microphone: $0) }
      var output = [Float](repeating: .nan, count: 160)
      _ = output.withUnsafeMutableBufferPointer { voice.pull(into: $0) }
      let sound: Sound =
        switch (output.min() ?? 0, output.max() ?? 0) {
        case (0, 0): .silent
        case (-0.51 ... -0.49, -0.51 ... -0.49): .processed
        case (0.5, 0.5): .raw
        default: .fading
        }
      heard.withLock { $0.append(sound) }
      try await device.beat(frame)
    }
  }

  /// The kinds of the frames that were heard from now on for a time.
  func sounds(for time: Duration) async throws -> [Sound] {
    let first = try await passes(frames: Int(time / .milliseconds(10)))
    return heard.withLock { Array($0[first...]) }
  }

  /// Waits until the last frame is of a kind.
  func becomes(_ sound: Sound) async throws {
    try await eventually("\(sound)") { self.heard.withLock { $0.last == sound } }
  }

  /// Mutes or unmutes, and waits until frames of before have passed.
  func setMuted(_ muted: Bool) async throws {
    voice.setMuted(muted)
    _ = try await passes(frames: 3)
  }

  /// Waits until this number of frames has been heard. Returns the index of the first of them.
  private func passes(frames: Int) async throws -> Int {
    let first = heard.withLock { $0.count }
    try await eventually("\(frames) frames") {
      self.heard.withLock { $0.count >= first + frames }
    }
    return first
  }
}
