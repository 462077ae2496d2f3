import AnechoicAPI
import SwiftProtobuf
import Testing

@testable import anechoic

/// Options of `anechoic process` that have no effect together with the others.
struct IdleOptionsTests {
  private func warnings(
    _ change: (inout JobFiles, inout Anechoic_V1_Start) -> Void
  ) -> [String] {
    var files = JobFiles(microphone: "microphone.wav", output: "voice.wav")
    var start = Anechoic_V1_Start()
    change(&files, &start)
    return IdleOptions(start: start, files: files).warnings
  }

  @Test func anOptionWithoutEffectIsNamedWithTheReason() {
    #expect(
      warnings { files, _ in files.voiceprint = "olga" } == [
        "--voiceprint has no effect without --mic-mode voice-isolation"
      ])
    #expect(
      warnings { _, start in start.config.otherAudioDucking.level = .max } == [
        "--ducking has no effect without --other-audio"
      ])
    #expect(
      warnings { files, start in
        (files.echoPath, files.reference) = ("path", "reference.wav")
        start.config.voiceProcessing.echoCancellation.enabled = false
      } == ["--echo-path has no effect with --no-echo-cancellation"])
    #expect(
      warnings { files, _ in files.echoPath = "path" }.map { $0.contains("no echo") } == [true])
    #expect(
      warnings { files, _ in files.farEnd = "far.wav" } == [
        "--far-end has no effect on the sound without --playback: nobody hears it"
      ])
    #expect(
      warnings { files, _ in (files.farEnd, files.playback) = ("far.wav", "played.wav") } == [])
    let spatial = warnings { _, start in
      (start.config.spatialAudio.enabled, start.config.spatialAudio.headTracked) = (true, true)
    }
    #expect(spatial.count == 2 && spatial[1].hasPrefix("--head-tracking"), "\(spatial)")
  }

  private func warnings(
    given: Set<String>, hasServer: Bool = false, _ change: (inout IdleOptions) -> Void = { _ in }
  ) -> [String] {
    var options = IdleOptions(
      start: .init(), files: JobFiles(microphone: "microphone.wav", output: "voice.wav"))
    (options.given, options.hasServer) = (given, hasServer)
    change(&options)
    return options.warnings
  }

  @Test func anOptionThatNeedsAnotherProgramOrFileIsNamed() {
    #expect(
      warnings(given: ["--stats-interval"]) == ["--stats-interval has no effect without --stats"])
    #expect(warnings(given: ["--stats-interval"]) { $0.hasStatistics = true } == [])
    let alone = warnings(given: ["--grant-injection", "--remember-injection"]) {
      $0.start.config.mute.gesturePolicy = .ask
    }
    #expect(
      alone.map { $0.prefix { $0 != " " } } == [
        "--gesture-policy", "--grant-injection", "--remember-injection",
      ])
    #expect(alone.allSatisfy { $0.contains("without --server") }, "\(alone)")
    #expect(warnings(given: ["--remember-injection"], hasServer: true) == [])
    #expect(
      warnings(given: ["--remember-injection"], hasServer: true) {
        $0.start.config.preferredInjectionMode = .none
      } == ["--remember-injection has no effect with --no-injection"])
    let headphones = warnings(given: []) { $0.hasHeadphones = true }
    #expect(headphones.count == 1 && headphones[0].hasPrefix("--headphones"), "\(headphones)")
  }

  @Test func anOptionWithAnEffectIsNotNamed() {
    #expect(warnings { _, _ in } == [])
    #expect(
      warnings { files, start in
        files.voiceprint = "olga"
        start.config.preferredMicMode = .voiceIsolation
      } == [])
    #expect(
      warnings { files, start in
        (files.voiceprint, files.controls) = ("olga", "controls.jsonl")
        start.config.spatialAudio.headTracked = true
      } == [])
    #expect(
      warnings { files, start in
        files.otherAudio = "music.wav"
        start.config.otherAudioDucking.advancedDuckingEnabled = true
      } == [])
  }
}
