internal import AudioCodecs
internal import AudioCore
internal import VoiceEngines

/// The output for a recognizer of speech: the second output of the engine, or the microphone where voice
/// processing is bypassed, and injected speech that the far end hears.
struct RecognizerOutput: ~Copyable {
  /// The frames for which a converter of injected speech still sounds after it.
  private static let tailFrames = 3

  var output: MutedOutput
  private let engine: any RecognitionEngine
  private var bypass: CrossfadeSwitch
  private var delay: DelayLine
  private var converter: FrameConverter
  private let recognized: Frame
  private let untouched: Frame
  private let selected: Frame
  private var injection: FrameConverter
  private let heard: Frame
  private let injected: Frame
  private var tail = 0

  /// Creates the output of an engine. `untilEngineOut` is from the microphone to the output of the
  /// engine.
  init(
    _ format: AudioFormat, _ setup: SessionSetup, _ engine: any RecognitionEngine,
    _ engineFormat: EngineFormat, untilEngineOut samples: Int
  ) throws {
    let (rate, channels) = (engineFormat.rate, engineFormat.channelCount)
    let converter = try FrameConverter(
      from: rate, channels, to: format.rate, format.channelCount)
    injection = try FrameConverter(from: setup.processed.rate, 1, to: format.rate, 1)
    output = MutedOutput(
      format, setup,
      latency: rate.duration(ofSamples: samples)
        + format.rate.duration(ofSamples: converter.latencySamples),
      latencySamples: rate.convert(samples, to: format.rate) + converter.latencySamples)
    self.engine = engine
    bypass = CrossfadeSwitch(isOn: setup.configuration.voiceProcessing.isBypassed)
    delay = DelayLine(
      delay: type(of: engine).latencySamples(engineFormat), channelCount: channels)
    recognized = Frame(rate: rate, channelCount: channels)
    untouched = Frame(rate: rate, channelCount: channels)
    selected = Frame(rate: rate, channelCount: channels)
    heard = Frame(rate: setup.processed.rate, channelCount: 1)
    injected = Frame(rate: format.rate, channelCount: 1)
    self.converter = converter
  }

  /// Applies a configuration after `samples` of the output of the engine.
  mutating func apply(_ configuration: SessionConfiguration, after samples: Int) {
    bypass.turn(on: configuration.voiceProcessing.isBypassed, after: samples)
  }

  /// Makes the output of the frame that the engine has processed. `input` is the microphone as the engine
  /// got it. Runs per frame: no allocation, lock, log or await.
  mutating func process(_ input: borrowing Frame, _ injections: borrowing InjectionQueue) {
    engine.readRecognizerOutput(into: recognized)
    delay.process(input, into: untouched)
    bypass.select(on: untouched, off: recognized, into: selected)
    converter.process(selected, into: output.frame)
    add(injections)
    output.limit()
    _ = output.applyMute()
  }

  /// Adds injected speech, and what its converter still holds after it.
  private mutating func add(_ injections: borrowing InjectionQueue) {
    guard injections.isHeardByFarEnd || tail > 0 else { return }
    tail = injections.isHeardByFarEnd ? Self.tailFrames : tail - 1
    heard.clear()
    if injections.isHeardByFarEnd {
      heard.add(injections.processed, from: injections.firstGain, to: injections.lastGain)
    }
    injection.process(heard, into: injected)
    output.frame.add(injected)
  }
}
