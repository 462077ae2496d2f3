internal import AudioCodecs
internal import AudioCore
internal import GRPCTransport
internal import SpatialAudio
internal import Synchronization
internal import VoiceSessions

/// The processor time for 10 ms that the parts of a session need beside its engine: Opus, and far ends
/// that are rendered for both ears. A time grows in proportion to the rate and the number of channels.
struct PartCosts: Sendable, Equatable {
  /// A source at 48 kHz whose place changes.
  var source = Duration.zero
  /// The decoder of one channel at 48 kHz.
  var decoder = Duration.zero
  /// The encoder of one channel at 48 kHz, with the lowest and the highest complexity.
  var encoder = Duration.zero
  var fullestEncoder = Duration.zero

  /// Returns the time of all parts of a session.
  func time(of setup: SessionSetup) -> Duration {
    var time = Duration.zero
    if setup.canRender, let playback = setup.playback {
      // Named far ends are there to be rendered, other audio only if the person wants it.
      let isEnabled = !setup.farEnds.isEmpty || setup.configuration.spatial.isEnabled
      time += source * (isEnabled ? setup.sourceCount : 0) * Self.share(playback.rate, channels: 1)
    }
    let farEnds = setup.farEnds.map { Optional($0.format) }
    for input in [setup.microphone, setup.reference, setup.farEnd, setup.otherAudio] + farEnds {
      guard let input, input.opus != nil else { continue }
      time += decoder * Self.share(input.rate, channels: input.channelCount)
    }
    for output in setup.outputs {
      guard let settings = output.opus else { continue }
      let effort = Double(settings.complexity) / Double(OpusSettings.complexities.upperBound)
      time +=
        (encoder + (fullestEncoder - encoder) * effort)
        * Self.share(output.rate, channels: output.channelCount)
    }
    return time
  }

  private static func share(_ rate: SampleRate, channels: Int) -> Double {
    Double(rate.hertz * channels) / Double(SampleRate.hz48000.hertz)
  }

  private static func noise() -> Frame {
    let frame = Frame(rate: .hz48000, channelCount: 1)
    var generator = SystemRandomNumberGenerator()
    let plane = frame.plane(0)
    for index in plane.indices { plane[index] = .random(in: -0.1...0.1, using: &generator) }
    return frame
  }

  /// Measures a source that turns, as the mean of four.
  static func measureSource() -> Duration {
    guard let responses = try? HeadRelatedSet.generic(rate: .hz48000) else { return .zero }
    let count = 4
    let renderer = BinauralRenderer(responses, sourceCount: count)
    let input = noise()
    let output = Frame(rate: .hz48000, channelCount: 2)
    var azimuth: Float = 0
    return ProcessorTime.leastPerFrame {
      azimuth = azimuth < 359 ? azimuth + 1 : 0
      let place = Placement(azimuth: azimuth, elevation: 0, distance: 1)
      for source in 0..<count {
        renderer.accept(
          input, of: source, SourceSetting(placement: place, hasReflections: true), head: .ahead)
      }
      output.clear()
      renderer.add(to: output)
    } / count
  }

  /// Measures packets of 10 ms of one channel.
  static func measureOpus() -> (decoder: Duration, encoder: Duration, fullest: Duration) {
    let input = noise()
    let samples = Array(input.plane(0))
    var packet: [UInt8] = []
    func encoding(_ complexity: Int) -> Duration {
      var encoder = PacketEncoder(
        rate: .hz48000, channelCount: 1, frames: 1,
        OpusSettings(channelCount: 1, complexity: complexity), for: .speech)
      return ProcessorTime.leastPerFrame {
        samples.withUnsafeBytes { packet = Array(encoder.encode($0)) }
      }
    }
    let complexities = OpusSettings.complexities
    let (encoder, fullest) = (encoding(complexities.lowerBound), encoding(complexities.upperBound))
    var decoder = PacketDecoder(rate: .hz48000, channelCount: 1)
    let decoding = ProcessorTime.leastPerFrame {
      packet.withUnsafeBytes { _ = decoder.decode($0) }
    }
    return (decoding, encoder, fullest)
  }
}

/// The costs of parts as far as they are known. Each is measured on another thread when a session first
/// needs it.
final class KnownPartCosts: Sendable {
  private struct State {
    var costs = PartCosts()
    var hasSource = false
    var hasOpus = false
  }

  private let state = Mutex(State())

  /// Returns the time of the parts of a session. Parts that are being measured count 0.
  func time(of setup: SessionSetup) -> Duration {
    let formats =
      [setup.microphone, setup.reference, setup.farEnd, setup.otherAudio]
      + setup.farEnds.map(\.format) + setup.outputs
    let (costs, needsSource, needsOpus) = state.withLock { state in
      let needsSource = setup.canRender && !state.hasSource
      let needsOpus = formats.contains { $0?.opus != nil } && !state.hasOpus
      if needsSource { state.hasSource = true }
      if needsOpus { state.hasOpus = true }
      return (state.costs, needsSource, needsOpus)
    }
    if needsSource || needsOpus {
      Task(executorPreference: BackgroundExecutor.shared) {
        self.measure(source: needsSource, opus: needsOpus)
      }
    }
    return costs.time(of: setup)
  }

  private func measure(source: Bool, opus: Bool) {
    if source {
      let time = PartCosts.measureSource()
      state.withLock { $0.costs.source = time }
    }
    if opus {
      let times = PartCosts.measureOpus()
      state.withLock {
        $0.costs.decoder = times.decoder
        $0.costs.encoder = times.encoder
        $0.costs.fullestEncoder = times.fullest
      }
    }
  }
}
