internal import AudioCore
internal import CKernels

/// The network that separates the near voice from echo, noise and competing voices: a convolutional
/// encoder and decoder over the bands, with a GRU for each group of bands and one for the full band
/// between them. It estimates masks, one gain for each band. A `VoiceNetwork` behind it estimates
/// the probability of a near voice. `training/network.py` defines the same network.
struct MaskNetwork: ~Copyable {
  /// The gains of a frame, each a row of bands.
  struct Gains {
    let echo: UnsafePointer<Float>
    let noise: UnsafePointer<Float>
    let competingVoices: UnsafePointer<Float>
  }

  fileprivate static let narrow = 16
  fileprivate static let middle = 24
  fileprivate static let wide = 32
  fileprivate static let fullBand = 96
  fileprivate static let half = Bands.count / 2
  fileprivate static let quarter = Bands.count / 4
  /// The size of the memory for arrays that are kept between frames or that others read.
  private static let memoryCount = 1952

  private let weights: Weights
  private let kernels: Kernels
  private let arena: FloatArena
  private let work: FloatArena

  // State, kept between frames.
  private let bandState: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  /// The input: `SpectralFeatures` of the frame.
  let features: BandRows
  private let gainRows: BandRows
  /// The probability of a voice in the last frame by the auxiliary output of this network. It
  /// accepts more sounds as a voice than `VoiceNetwork` does, so a low value is reliable: the frame
  /// is noise.
  private(set) var auxiliaryVoice: Float = 0
  private let results: Results
  private let layers: Layers

  /// Creates a network. `work` is memory that others may use between frames.
  init(weights: Weights, kernels: Kernels, work: FloatArena = .forWork()) {
    self.weights = weights
    self.kernels = kernels
    var work = work
    results = Results(&work)
    self.work = work
    var memory = FloatArena(capacity: Self.memoryCount)
    bandState = memory.array(Self.wide * results.encoded3.stride)
    state = memory.array(Self.fullBand)
    features = memory.rows(channels: SpectralFeatures.count, bands: Bands.count)
    gainRows = memory.rows(channels: 3, bands: Bands.count)
    arena = memory
    layers = Layers(weights, kernels, features: features, results, bandState: bandState)
    reset()
  }

  /// Resets the states to those with which a call begins. The initial state of the band GRU is
  /// learned: with zeros, the network would suppress a voice that begins with its call. Runs per
  /// frame: no allocation, lock, log or await.
  func reset() {
    layers.voice.reset()
    state.update(repeating: 0, count: Self.fullBand)
    for channel in 0..<Self.wide {
      for group in 0..<Self.quarter {
        bandState[channel * results.encoded3.stride + group] =
          weights.initialBandState[channel * Self.quarter + group]
      }
    }
  }

  /// The number of values of both full-band states: that of this network and that of
  /// `VoiceNetwork`.
  static let fullBandStateCount = fullBand + VoiceNetwork.stateCount

  /// The state of the full-band GRU.
  var fullBandState: [Float] { Array(UnsafeBufferPointer(start: state, count: Self.fullBand)) }

  /// Sets the state of the full-band GRU. Runs per frame: no allocation, lock, log or await.
  func setFullBandState(_ values: [Float]) {
    values.withUnsafeBufferPointer {
      if let start = $0.baseAddress { state.update(from: start, count: Self.fullBand) }
    }
  }

  /// Copies the state of the full-band GRU, and behind it that of `VoiceNetwork`. Runs per frame:
  /// no allocation, lock, log or await.
  func copyFullBandState(to values: UnsafeMutablePointer<Float>) {
    values.update(from: state, count: Self.fullBand)
    (values + Self.fullBand).update(from: layers.voice.state, count: VoiceNetwork.stateCount)
  }

  /// Moves both full-band states towards `values` by a part of the difference. Runs per frame: no
  /// allocation, lock, log or await.
  func moveFullBandState(toward values: UnsafePointer<Float>, by part: Float) {
    let (state, voice) = (state, layers.voice.state)
    for index in 0..<Self.fullBand { state[index] += part * (values[index] - state[index]) }
    for index in 0..<VoiceNetwork.stateCount {
      voice[index] += part * (values[Self.fullBand + index] - voice[index])
    }
  }

  /// The gains of the last frame.
  var gains: Gains {
    Gains(
      echo: gainRows.row(0), noise: gainRows.row(1), competingVoices: gainRows.row(2))
  }

  /// Multiplies the gains for noise of the first `count` bands by others. Runs per frame: no
  /// allocation, lock, log or await.
  func lowerNoiseGains(by factors: UnsafePointer<Float>, count: Int) {
    let noise = gainRows.row(1)
    for band in 0..<count { noise[band] *= factors[band] }
  }

  /// Computes the gains of a frame from `features`, and returns the probability of a near voice.
  /// Runs per frame: no allocation, lock, log or await.
  mutating func process() -> Float {
    let voice = processVoice()
    bandGRU()
    concatenate()
    decode()
    return voice
  }

  /// Returns the probability of a near voice from `features`, and computes no gains. The band GRU
  /// skips the frame and keeps its state. Runs per frame: no allocation, lock, log or await.
  mutating func processVoice() -> Float {
    encode()
    return fullBandGRU()
  }

  private func encode() {
    layers.encoder1.apply(into: results.encoded1, kernels)
    tanh(results.encoded1)
    split(results.encoded1, into: results.encoded1Halves)
    layers.encoder2.apply(into: results.encoded2, kernels)
    tanh(results.encoded2)
    split(results.encoded2, into: results.encoded2Halves)
    layers.encoder3.apply(into: results.encoded3, kernels)
    tanh(results.encoded3)
    results.encoded3.clearMargins()
  }

  private func split(_ rows: BandRows, into halves: (BandRows, BandRows)) {
    for channel in 0..<rows.channels {
      kernels.table.deinterleave(
        rows.row(channel), halves.0.row(channel), halves.1.row(channel), Int32(rows.bands / 2))
    }
    halves.0.clearMargins()
    halves.1.clearMargins()
  }

  /// Updates the GRU of each group of bands. All groups share the weights.
  private func bandGRU() {
    let columns = results.encoded3.stride
    weights.bandGRUFromInput.apply(
      to: layers.encoded3Table, columns: columns, into: results.inputGates, stride: columns, kernels
    )
    weights.bandGRUFromState.apply(
      to: layers.bandTable, columns: columns, into: results.stateGates, stride: columns, kernels)
    kernels.table.gru(
      results.inputGates, results.stateGates, bandState, Int32(Self.wide * columns))
  }

  /// Updates the GRU of the full band. Returns the probability of a near voice.
  private mutating func fullBandGRU() -> Float {
    let quarter = Self.quarter
    for channel in 0..<Self.wide {
      (results.bottleneck + channel * quarter).update(
        from: results.encoded3.row(channel), count: quarter)
    }
    weights.toFullBand.apply(to: results.bottleneck, into: results.sums, kernels)
    tanh(results.sums, into: results.bottleneck, Self.fullBand)
    weights.fullBandGRUFromInput.apply(to: results.bottleneck, into: results.inputGates, kernels)
    weights.fullBandGRUFromState.apply(to: state, into: results.stateGates, kernels)
    kernels.table.gru(results.inputGates, results.stateGates, state, Int32(Self.fullBand))
    let probability = layers.voice.process(
      state, results.bottleneck, count: Self.fullBand, features)
    weights.auxiliaryVoice.apply(to: state, into: results.sums, kernels)
    kernels.table.sigmoid(results.sums, results.sums, Int32(Kernels.width))
    auxiliaryVoice = results.sums[0]
    return probability
  }

  /// Concatenates the output of the band GRU, with a skip connection, and the projection of the
  /// full-band state to the groups.
  private func concatenate() {
    let quarter = Self.quarter
    weights.toBands.apply(to: state, into: results.sums, kernels)
    tanh(results.sums, into: results.bottleneck, weights.toBands.rows)
    let (own, skipped) = (results.concatenated.start, results.encoded3.start)
    for index in 0..<(Self.wide * results.encoded3.stride) {
      own[index] = bandState[index] + skipped[index]
    }
    results.concatenated.clearMargins()
    for channel in 0..<Self.narrow {
      results.concatenated.row(Self.wide + channel)
        .update(from: results.bottleneck + channel * quarter, count: quarter)
    }
  }

  private func decode() {
    layers.decoder1.apply(into: results.decoded1, halves: results.encoded2Halves, kernels)
    add(results.encoded2, to: results.decoded1)
    tanh(results.decoded1)
    results.decoded1.clearMargins()
    layers.decoder2.apply(into: results.decoded2, halves: results.encoded1Halves, kernels)
    add(results.encoded1, to: results.decoded2)
    tanh(results.decoded2)
    layers.gainLayer.apply(into: gainRows, kernels)
    kernels.table.sigmoid(
      gainRows.start, gainRows.start, Int32(gainRows.channels * gainRows.stride))
  }

  private func add(_ rows: BandRows, to sum: BandRows) {
    for index in 0..<(sum.channels * sum.stride) { sum.start[index] += rows.start[index] }
  }

  private func tanh(_ rows: BandRows) {
    kernels.table.hyperbolic_tangent(rows.start, rows.start, Int32(rows.channels * rows.stride))
  }

  private func tanh(
    _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    kernels.table.hyperbolic_tangent(input, output, Int32(count))
  }
}

// MARK: Results and layers

extension MaskNetwork {
  /// The results of one frame, in memory that others use too. Rows have zeros around them only after
  /// `clearMargins`.
  private struct Results {
    let encoded1: BandRows
    /// The even and the odd bands, in the encoder and in the decoder.
    let encoded1Halves: (BandRows, BandRows)
    let encoded2: BandRows
    let encoded2Halves: (BandRows, BandRows)
    let encoded3: BandRows
    let inputGates: UnsafeMutablePointer<Float>
    let stateGates: UnsafeMutablePointer<Float>
    let bottleneck: UnsafeMutablePointer<Float>
    let sums: UnsafeMutablePointer<Float>
    let concatenated: BandRows
    let decoded1: BandRows
    let decoded2: BandRows

    init(_ work: inout FloatArena) {
      let (narrow, middle, wide) = (MaskNetwork.narrow, MaskNetwork.middle, MaskNetwork.wide)
      let (half, quarter) = (MaskNetwork.half, MaskNetwork.quarter)
      // The recurrent layers run after the halves have been read, and before the decoder needs them.
      var recurrent = work
      encoded1Halves = work.halves(channels: narrow, bands: Bands.count)
      encoded2Halves = work.halves(channels: middle, bands: half)
      encoded1 = work.rows(channels: narrow, bands: Bands.count)
      encoded2 = work.rows(channels: middle, bands: half)
      // The last layer of the decoder reuses the memory of the input of the first.
      var end = work
      encoded3 = work.rows(channels: wide, bands: quarter)
      bottleneck = work.array(quarter * wide)
      sums = work.array(quarter * wide)
      // The decoder starts after the recurrent layers.
      var decoder = work
      inputGates = recurrent.array(3 * wide * encoded3.stride)
      stateGates = work.array(3 * wide * encoded3.stride)
      concatenated = decoder.rows(channels: wide + narrow, bands: quarter)
      decoded1 = decoder.rows(channels: middle, bands: half)
      decoded2 = end.rows(channels: narrow, bands: Bands.count)
    }
  }

  /// The layers of the network, each with the rows that it reads.
  private struct Layers: ~Copyable {
    let encoder1: BandConvolution
    let encoder2: BandConvolution
    let encoder3: BandConvolution
    let decoder1: TransposedBandConvolution
    let decoder2: TransposedBandConvolution
    let gainLayer: BandConvolution
    let voice: VoiceNetwork
    let encoded3Table: RowTable
    let bandTable: RowTable

    init(
      _ weights: Weights, _ kernels: Kernels, features: BandRows, _ results: Results,
      bandState: UnsafeMutablePointer<Float>
    ) {
      voice = VoiceNetwork(weights: weights.voice, kernels: kernels)
      encoder1 = BandConvolution(weights.encoder1, of: features, first: -1)
      encoder2 = BandConvolution(
        weights.encoder2, ofEvery: results.encoded1Halves.0, results.encoded1Halves.1)
      encoder3 = BandConvolution(
        weights.encoder3, ofEvery: results.encoded2Halves.0, results.encoded2Halves.1)
      decoder1 = TransposedBandConvolution(weights.decoder1, of: results.concatenated)
      decoder2 = TransposedBandConvolution(weights.decoder2, of: results.decoded1)
      gainLayer = BandConvolution(weights.gainLayer, of: results.decoded2, first: 0)
      let stride = results.encoded3.stride
      encoded3Table = RowTable(results.encoded3.start, count: MaskNetwork.wide, stride: stride)
      bandTable = RowTable(bandState, count: MaskNetwork.wide, stride: stride)
    }
  }
}

// MARK: Weights

extension MaskNetwork {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let encoder1: BandConvolution.Weights
    fileprivate let encoder2: BandConvolution.Weights
    fileprivate let encoder3: BandConvolution.Weights
    fileprivate let bandGRUFromInput: Layer
    fileprivate let bandGRUFromState: Layer
    fileprivate let toFullBand: Layer
    fileprivate let fullBandGRUFromInput: Layer
    fileprivate let fullBandGRUFromState: Layer
    fileprivate let toBands: Layer
    fileprivate let decoder1: TransposedBandConvolution.Weights
    fileprivate let decoder2: TransposedBandConvolution.Weights
    fileprivate let gainLayer: BandConvolution.Weights
    fileprivate let auxiliaryVoice: Layer
    fileprivate let voice: VoiceNetwork.Weights
    /// The state of the band GRU with which a call begins: the groups of each channel together.
    fileprivate let initialBandState: [Float]

    /// Reads the weights. The file names the tensors as its first version did:
    /// `suppressor.of_group` is the band GRU, `suppressor.of_all` the full-band GRU.
    init(_ file: WeightFile) throws(WeightFile.FormatError) {
      let (narrow, middle, wide, fullBand) = (
        MaskNetwork.narrow, MaskNetwork.middle, MaskNetwork.wide, MaskNetwork.fullBand
      )
      let quarter = MaskNetwork.quarter
      func byChannel(_ channels: Int) -> [Int] {
        (0..<channels).flatMap { channel in (0..<quarter).map { $0 * channels + channel } }
      }
      func values(_ name: String, _ count: Int) throws(WeightFile.FormatError) -> [Float] {
        try file.values("suppressor." + name, count: count)
      }
      func convolution(
        _ name: String, _ outputs: Int, _ channels: Int, taps: Int, plus constant: Float = 0
      ) throws(WeightFile.FormatError) -> BandConvolution.Weights {
        BandConvolution.Weights(
          try values(name + ".weight", outputs * channels * taps),
          bias: try values(name + ".bias", outputs).map { $0 + constant }, channels: channels,
          taps: taps)
      }
      func transposed(
        _ name: String, _ outputs: Int, _ channels: Int
      ) throws(WeightFile.FormatError) -> TransposedBandConvolution.Weights {
        TransposedBandConvolution.Weights(
          try values(name + ".weight", channels * outputs * 4),
          bias: try values(name + ".bias", outputs), channels: channels)
      }
      func oneColumn(
        _ weight: String, _ bias: String, _ outputs: Int, _ inputs: Int
      ) throws(WeightFile.FormatError) -> Layer {
        Layer(
          weights: try values(weight, outputs * inputs), bias: try values(bias, outputs),
          inputsOfOneColumn: inputs)
      }
      encoder1 = try convolution("first", narrow, SpectralFeatures.count, taps: 3)
      encoder2 = try convolution("second", middle, narrow, taps: 4)
      encoder3 = try convolution("third", wide, middle, taps: 4)
      bandGRUFromInput = Layer(
        weights: try values("of_group.weight_ih_l0", 3 * wide * wide),
        bias: try values("of_group.bias_ih_l0", 3 * wide), inputs: wide)
      bandGRUFromState = Layer(
        weights: try values("of_group.weight_hh_l0", 3 * wide * wide),
        bias: try values("of_group.bias_hh_l0", 3 * wide), inputs: wide)
      // The file has the channels of a group together; here the groups of a channel are together.
      let toFullBandWeights = try values("gather.weight", fullBand * quarter * wide)
      toFullBand = Layer(
        weights: (0..<fullBand).flatMap { row in
          byChannel(wide).map { toFullBandWeights[row * quarter * wide + $0] }
        },
        bias: try values("gather.bias", fullBand), inputsOfOneColumn: quarter * wide)
      fullBandGRUFromInput = try oneColumn(
        "of_all.weight_ih_l0", "of_all.bias_ih_l0", 3 * fullBand, fullBand)
      fullBandGRUFromState = try oneColumn(
        "of_all.weight_hh_l0", "of_all.bias_hh_l0", 3 * fullBand, fullBand)
      let toBandsWeights = try values("spread.weight", quarter * narrow * fullBand)
      let toBandsBias = try values("spread.bias", quarter * narrow)
      toBands = Layer(
        weights: byChannel(narrow).flatMap {
          toBandsWeights[($0 * fullBand)..<(($0 + 1) * fullBand)]
        },
        bias: byChannel(narrow).map { toBandsBias[$0] }, inputsOfOneColumn: fullBand)
      decoder1 = try transposed("up", middle, wide + narrow)
      decoder2 = try transposed("up_again", narrow, middle)
      gainLayer = try convolution("leave", 3, narrow, taps: 1, plus: 2)
      auxiliaryVoice = try oneColumn("voice.weight", "voice.bias", 1, fullBand)
      voice = try VoiceNetwork.Weights(file, count: fullBand)
      let initialState = try values("start", quarter * wide)
      initialBandState = byChannel(wide).map { initialState[$0] }
    }
  }
}
