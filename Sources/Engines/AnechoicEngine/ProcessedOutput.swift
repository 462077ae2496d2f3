internal import AudioCore
internal import VoiceEngines

/// The processed signal of a call by one set of settings, and its second version for a recognizer.
struct ProcessedOutput: ~Copyable {
  /// The findings of a frame, which are the same for all settings.
  struct Findings {
    /// Whether the error spectra of the analysis are without echo.
    var cancelsEcho: Bool
    /// Whether the mask network did not run.
    var skipsMask: Bool
    var minimumNoiseGain: Float
    /// The probability of a voice for gain control.
    var probability: Float
    /// The part of the power that was echo, or nil where it is unknown.
    var echoShare: Float?
    /// The largest mean square to which gain control may raise the frame.
    var powerLimit: Float?
  }

  private(set) var settings: EngineSettings
  private(set) var limits: MaskLimits
  private var gainControl = AutomaticGainControl()
  private let hasReference: Bool
  /// The half of the last window that the next frame completes, for each channel.
  private let tails: FloatBuffer
  private let recognizer: RecognizerSpectra

  init(
    _ settings: EngineSettings, _ format: EngineFormat, _ spectra: borrowing CallSpectra
  ) {
    self.settings = settings
    hasReference = format.reference != nil
    limits = MaskLimits(settings)
    tails = spectra.makeTails()
    recognizer = RecognizerSpectra(spectra, isUsed: format.hasRecognizer)
  }

  /// Whether this output has its echo cancelled.
  var cancelsEcho: Bool { hasReference && settings.echoSuppression != nil }

  /// Whether all of the mask is open, and stays so.
  var skipsMask: Bool { settings.isReduced && limits.isOpen }

  /// Continues the sound of another output.
  mutating func follow(_ other: borrowing ProcessedOutput) {
    (settings, limits, gainControl) = (other.settings, other.limits, other.gainControl)
    tails.copy(other.tails)
    recognizer.copy(other.recognizer)
  }

  /// Applies settings from the next frame on.
  mutating func apply(_ settings: EngineSettings) {
    self.settings = settings
    limits.apply(settings)
  }

  /// Moves the limits on. Runs per frame: no allocation, lock, log or await.
  mutating func advanceLimits() { limits.advance() }

  /// Makes the frame of 10 ms ago. `mask` gets the gains of this output. An analysis whose spectra are
  /// needed by another output `keepsSpectra`. Runs per frame: no allocation, lock, log or await.
  mutating func render(
    _ findings: Findings, _ analysis: borrowing CallAnalysis, _ mask: inout Mask,
    competingVoices: UnsafePointer<Float>, keepsSpectra: Bool, into output: borrowing Frame
  ) {
    if !findings.skipsMask {
      mask.compute(
        analysis.gains, competingVoices: competingVoices, limits.values,
        error: analysis.features.errorPowers, minimumNoiseGain: findings.minimumNoiseGain)
    }
    let spectra = CallSpectra.Choice(
      cancelsEcho: cancelsEcho, isAnalyzed: cancelsEcho == findings.cancelsEcho,
      isKept: keepsSpectra)
    if let gains = mask.recognizerGains {
      analysis.spectra.keep(spectra, gains: gains, for: recognizer)
    }
    analysis.spectra.finish(spectra, gains: mask.gains, tails: tails, into: output)
    gainControl.process(
      output, probability: findings.probability, echoShare: findings.echoShare,
      powerLimit: findings.powerLimit, target: settings.gainTarget)
  }

  /// Fills `output` with the last frame for a recognizer. Runs per frame: no allocation, lock, log or
  /// await.
  func readRecognizer(_ spectra: borrowing CallSpectra, into output: borrowing Frame) {
    spectra.read(recognizer, into: output)
  }
}
