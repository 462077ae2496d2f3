internal import AudioCore
internal import VoiceEngines

/// The processed signal of a call, with a fade from the former settings to the present ones.
struct FadedOutput: ~Copyable {
  private var present: ProcessedOutput
  /// The output by the settings before, during a fade.
  private var former: ProcessedOutput
  private let formerSound: Frame
  /// The fade from the former output to the present one, from this frame on and from the next one on.
  private var fade = CrossfadeSwitch(isOn: true)
  private var nextFade = CrossfadeSwitch(isOn: true)
  private var waiting = WaitingValues<EngineSettings>()

  init(
    _ settings: EngineSettings, _ format: EngineFormat, _ spectra: borrowing CallSpectra
  ) {
    present = ProcessedOutput(settings, format, spectra)
    former = ProcessedOutput(settings, format, spectra)
    formerSound = Frame(rate: format.rate, channelCount: format.channelCount)
  }

  private var isFading: Bool { !fade.needsOnlyOn }

  /// Whether the present output has its echo cancelled.
  var cancelsEcho: Bool { present.cancelsEcho }

  /// Whether the mask is skipped, because the limits of the reduced mode let everything pass.
  var skipsMask: Bool { present.skipsMask && (!isFading || former.skipsMask) }

  /// Whether voices are isolated. During a fade, the former settings decide.
  var isolatesVoice: Bool {
    isFading ? former.limits.isolatesVoice : present.limits.isolatesVoice
  }

  /// Adds settings that apply from a later sample on.
  mutating func add(_ settings: EngineSettings, after samples: Int) {
    waiting.add(settings, after: samples)
  }

  /// Begins the fade to the next settings if their sample is in this frame of the output. Runs per
  /// frame: no allocation, lock, log or await.
  mutating func followSettings() {
    let size = formerSound.sampleCount
    fade = nextFade
    if !isFading, let next = waiting.popFirst(within: size) {
      former.follow(present)
      present.apply(next.value)
      fade = CrossfadeSwitch(isOn: false)
      fade.turn(on: true, after: next.distance)
    }
    waiting.advance(by: size)
  }

  /// Moves the limits of the mask on. Runs per frame: no allocation, lock, log or await.
  mutating func advanceLimits() {
    present.advanceLimits()
    if isFading { former.advanceLimits() }
  }

  /// Makes the output of the frame, and during a fade the former one before it. Runs per frame: no
  /// allocation, lock, log or await.
  mutating func render(
    _ findings: ProcessedOutput.Findings, _ analysis: borrowing CallAnalysis, _ mask: inout Mask,
    competingVoices: UnsafePointer<Float>, into output: borrowing Frame
  ) {
    if isFading {
      former.render(
        findings, analysis, &mask, competingVoices: competingVoices, keepsSpectra: true,
        into: formerSound)
    }
    present.render(
      findings, analysis, &mask, competingVoices: competingVoices, keepsSpectra: false,
      into: output)
    nextFade = fade
    if isFading { nextFade.select(on: output, off: formerSound, into: output) }
  }

  /// Fills `output` with the last frame for a recognizer. Runs per frame: no allocation, lock, log or
  /// await.
  func readRecognizer(_ spectra: borrowing CallSpectra, into output: borrowing Frame) {
    present.readRecognizer(spectra, into: output)
    guard isFading else { return }
    former.readRecognizer(spectra, into: formerSound)
    var fade = fade
    fade.select(on: output, off: formerSound, into: output)
  }
}
