internal import AudioCore
internal import CKernels

/// The network that tells a near voice from echo, noise and competing voices. It computes gains for
/// the bands, and a `VoiceNetwork` behind it the probability of a near voice. `training/network.py` trains
/// it.
struct Suppressor: ~Copyable {
  /// The gains of a frame, each a row of bands.
  struct Gains {
    let echo: UnsafePointer<Float>
    let noise: UnsafePointer<Float>
    let rivals: UnsafePointer<Float>
  }

  fileprivate static let narrow = 16
  fileprivate static let middle = 24
  fileprivate static let wide = 32
  fileprivate static let whole = 96
  fileprivate static let half = Bands.count / 2
  fileprivate static let quarter = Bands.count / 4
  /// Enough for the arrays that are kept between frames or that others read.
  private static let memoryCount = 1952

  private let weights: Weights
  private let kernels: Kernels
  private let arena: FloatArena
  private let work: FloatArena

  // State, kept between frames.
  private let groupState: UnsafeMutablePointer<Float>
  private let state: UnsafeMutablePointer<Float>
  /// Where the features of the next frame belong.
  let heard: BandRows
  private let gainRows: BandRows
  /// The probability of a voice in the last frame by the suppressor itself, which takes more sounds for a
  /// voice than the network behind it: a frame that it doubts is surely noise.
  private(set) var possibleVoice: Float = 0
  // Results of one frame, in memory that others use too: rows have zeros around them only after
  // `clearMargins`.
  private let firstRows: BandRows
  /// The even and the odd bands, on the way down and on the way up.
  private let firstHalves: (BandRows, BandRows)
  private let secondRows: BandRows
  private let secondHalves: (BandRows, BandRows)
  private let thirdRows: BandRows
  private let input: UnsafeMutablePointer<Float>
  private let memorized: UnsafeMutablePointer<Float>
  private let entered: UnsafeMutablePointer<Float>
  private let sums: UnsafeMutablePointer<Float>
  private let joined: BandRows
  private let upRows: BandRows
  private let upAgainRows: BandRows

  private let first: BandConvolution
  private let second: BandConvolution
  private let third: BandConvolution
  private let up: BandExpansion
  private let upAgain: BandExpansion
  private let leave: BandConvolution
  private let voice: VoiceNetwork
  private let thirdTable: RowTable
  private let groupTable: RowTable

  /// Creates a network. `work` is memory that others may use between frames.
  init(weights: Weights, kernels: Kernels, work: FloatArena = .forWork()) {
    self.weights = weights
    self.kernels = kernels
    voice = VoiceNetwork(weights: weights.voice, kernels: kernels)
    let (narrow, middle, wide, quarter) = (Self.narrow, Self.middle, Self.wide, Self.quarter)
    var work = work
    // The recurrent layers begin when the halves have been read, and end before the way up needs them.
    var recurrent = work
    firstHalves = work.halves(channels: narrow, bands: Bands.count)
    secondHalves = work.halves(channels: middle, bands: Self.half)
    firstRows = work.rows(channels: narrow, bands: Bands.count)
    secondRows = work.rows(channels: middle, bands: Self.half)
    // The last layers reuse the memory of arrays that are no longer needed by then.
    var end = work
    thirdRows = work.rows(channels: wide, bands: quarter)
    entered = work.array(quarter * wide)
    sums = work.array(quarter * wide)
    // The way up begins when the recurrent layers are done.
    var wayUp = work
    input = recurrent.array(3 * wide * thirdRows.stride)
    memorized = work.array(3 * wide * thirdRows.stride)
    joined = wayUp.rows(channels: wide + narrow, bands: quarter)
    upRows = wayUp.rows(channels: middle, bands: Self.half)
    upAgainRows = end.rows(channels: narrow, bands: Bands.count)
    self.work = work
    var memory = FloatArena(capacity: Self.memoryCount)
    groupState = memory.array(wide * thirdRows.stride)
    state = memory.array(Self.whole)
    heard = memory.rows(channels: SpectralFeatures.count, bands: Bands.count)
    gainRows = memory.rows(channels: 3, bands: Bands.count)
    arena = memory
    first = BandConvolution(weights.first, of: heard, first: -1)
    second = BandConvolution(weights.second, ofEvery: firstHalves.0, firstHalves.1)
    third = BandConvolution(weights.third, ofEvery: secondHalves.0, secondHalves.1)
    up = BandExpansion(weights.up, of: joined)
    upAgain = BandExpansion(weights.upAgain, of: upRows)
    leave = BandConvolution(weights.leave, of: upAgainRows, first: 0)
    thirdTable = RowTable(thirdRows.start, count: wide, stride: thirdRows.stride)
    groupTable = RowTable(groupState, count: wide, stride: thirdRows.stride)
    begin()
  }

  /// Sets the state in which a call begins, which was learned: without memory, a voice that begins with
  /// its call would pass for noise. Runs per frame: no allocation, lock, log or await.
  func begin() {
    voice.begin()
    state.update(repeating: 0, count: Self.whole)
    for channel in 0..<Self.wide {
      for group in 0..<Self.quarter {
        groupState[channel * thirdRows.stride + group] =
          weights.start[channel * Self.quarter + group]
      }
    }
  }

  /// The number of values that the recurrent layers of all bands remember: those of the suppressor
  /// and those of `VoiceNetwork`.
  static let memoryOfAll = whole + VoiceNetwork.memory

  /// The memory of the suppressor's own layer of all bands.
  var memory: [Float] { Array(UnsafeBufferPointer(start: state, count: Self.whole)) }

  /// Sets the memory of the suppressor's layer of all bands. Runs per frame: no allocation, lock,
  /// log or await.
  func remember(_ values: [Float]) {
    values.withUnsafeBufferPointer {
      if let start = $0.baseAddress { state.update(from: start, count: Self.whole) }
    }
  }

  /// Copies the memory of the layers of all bands. Runs per frame: no allocation, lock, log or
  /// await.
  func copyMemoryOfAll(to values: UnsafeMutablePointer<Float>) {
    values.update(from: state, count: Self.whole)
    (values + Self.whole).update(from: voice.state, count: VoiceNetwork.memory)
  }

  /// Moves the memory of the layers of all bands towards `values`, by a part of the difference.
  /// Runs per frame: no allocation, lock, log or await.
  func approach(_ values: UnsafePointer<Float>, by part: Float) {
    for index in 0..<Self.whole { state[index] += part * (values[index] - state[index]) }
    for index in 0..<VoiceNetwork.memory {
      voice.state[index] += part * (values[Self.whole + index] - voice.state[index])
    }
  }

  /// The gains of the last frame.
  var gains: Gains {
    Gains(
      echo: gainRows.row(0), noise: gainRows.row(1), rivals: gainRows.row(2))
  }

  /// Computes the gains of a frame from the features in `heard`, and returns the probability of a
  /// near voice. Runs per frame: no allocation, lock, log or await.
  mutating func process() -> Float {
    let voice = findVoice()
    rememberGroups()
    join()
    decode()
    return voice
  }

  /// Returns the probability of a near voice in the features in `heard`, and computes no gains. The
  /// recurrent layer of the groups does not hear the frame: where gains follow, it remembers the
  /// frames before. Runs per frame: no allocation, lock, log or await.
  mutating func findVoice() -> Float {
    encode()
    return rememberAll()
  }

  private func encode() {
    first.apply(into: firstRows, kernels)
    bend(firstRows)
    split(firstRows, into: firstHalves)
    second.apply(into: secondRows, kernels)
    bend(secondRows)
    split(secondRows, into: secondHalves)
    third.apply(into: thirdRows, kernels)
    bend(thirdRows)
    thirdRows.clearMargins()
  }

  private func split(_ rows: BandRows, into halves: (BandRows, BandRows)) {
    for channel in 0..<rows.channels {
      kernels.table.deinterleave(
        rows.row(channel), halves.0.row(channel), halves.1.row(channel), Int32(rows.bands / 2))
    }
    halves.0.clearMargins()
    halves.1.clearMargins()
  }

  /// The recurrent layer of each group of bands.
  private func rememberGroups() {
    let columns = thirdRows.stride
    weights.groupFromInput.apply(
      to: thirdTable, columns: columns, into: input, stride: columns, kernels)
    weights.groupFromState.apply(
      to: groupTable, columns: columns, into: memorized, stride: columns, kernels)
    kernels.table.gates(
      input, memorized, groupState, Int32(Self.wide * columns))
  }

  /// The recurrent layer of all bands.
  private mutating func rememberAll() -> Float {
    let quarter = Self.quarter
    for channel in 0..<Self.wide {
      (entered + channel * quarter).update(from: thirdRows.row(channel), count: quarter)
    }
    weights.gather.apply(to: entered, into: sums, kernels)
    bend(sums, into: entered, Self.whole)
    weights.fromInput.apply(to: entered, into: input, kernels)
    weights.fromState.apply(to: state, into: memorized, kernels)
    kernels.table.gates(input, memorized, state, Int32(Self.whole))
    let probability = voice.process(state, entered, count: Self.whole, heard)
    weights.possibleVoice.apply(to: state, into: sums, kernels)
    kernels.table.sigmoid(sums, sums, Int32(Kernels.width))
    possibleVoice = sums[0]
    return probability
  }

  /// Appends the output of the layer of all bands to the values of the groups in `joined`.
  private func join() {
    let quarter = Self.quarter
    weights.spread.apply(to: state, into: sums, kernels)
    bend(sums, into: entered, weights.spread.rows)
    let (own, third) = (joined.start, thirdRows.start)
    for index in 0..<(Self.wide * thirdRows.stride) {
      own[index] = groupState[index] + third[index]
    }
    joined.clearMargins()
    for channel in 0..<Self.narrow {
      joined.row(Self.wide + channel).update(from: entered + channel * quarter, count: quarter)
    }
  }

  private func decode() {
    up.apply(into: upRows, halves: secondHalves, kernels)
    add(secondRows, to: upRows)
    bend(upRows)
    upRows.clearMargins()
    upAgain.apply(into: upAgainRows, halves: firstHalves, kernels)
    add(firstRows, to: upAgainRows)
    bend(upAgainRows)
    leave.apply(into: gainRows, kernels)
    kernels.table.sigmoid(
      gainRows.start, gainRows.start, Int32(gainRows.channels * gainRows.stride))
  }

  private func add(_ rows: BandRows, to sum: BandRows) {
    for index in 0..<(sum.channels * sum.stride) { sum.start[index] += rows.start[index] }
  }

  private func bend(_ rows: BandRows) {
    kernels.table.hyperbolic_tangent(rows.start, rows.start, Int32(rows.channels * rows.stride))
  }

  private func bend(
    _ input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ count: Int
  ) {
    kernels.table.hyperbolic_tangent(input, output, Int32(count))
  }
}

// MARK: Weights

extension Suppressor {
  /// The weights, shared by all networks.
  final class Weights: Sendable {
    fileprivate let first: BandConvolution.Weights
    fileprivate let second: BandConvolution.Weights
    fileprivate let third: BandConvolution.Weights
    fileprivate let groupFromInput: Layer
    fileprivate let groupFromState: Layer
    fileprivate let gather: Layer
    fileprivate let fromInput: Layer
    fileprivate let fromState: Layer
    fileprivate let spread: Layer
    fileprivate let up: BandExpansion.Weights
    fileprivate let upAgain: BandExpansion.Weights
    fileprivate let leave: BandConvolution.Weights
    fileprivate let possibleVoice: Layer
    fileprivate let voice: VoiceNetwork.Weights
    /// The state in which a call begins: the groups of each channel together.
    fileprivate let start: [Float]

    init(_ file: WeightFile) throws(WeightFile.Fault) {
      let (narrow, middle, wide, whole) = (
        Suppressor.narrow, Suppressor.middle, Suppressor.wide, Suppressor.whole
      )
      let quarter = Suppressor.quarter
      func byChannel(_ channels: Int) -> [Int] {
        (0..<channels).flatMap { channel in (0..<quarter).map { $0 * channels + channel } }
      }
      func values(_ name: String, _ count: Int) throws(WeightFile.Fault) -> [Float] {
        try file.values("suppressor." + name, count: count)
      }
      func convolution(
        _ name: String, _ outputs: Int, _ channels: Int, taps: Int, plus constant: Float = 0
      ) throws(WeightFile.Fault) -> BandConvolution.Weights {
        BandConvolution.Weights(
          try values(name + ".weight", outputs * channels * taps),
          bias: try values(name + ".bias", outputs).map { $0 + constant }, channels: channels,
          taps: taps)
      }
      func expansion(
        _ name: String, _ outputs: Int, _ channels: Int
      ) throws(WeightFile.Fault) -> BandExpansion.Weights {
        BandExpansion.Weights(
          try values(name + ".weight", channels * outputs * 4),
          bias: try values(name + ".bias", outputs), channels: channels)
      }
      func ofOne(
        _ weight: String, _ bias: String, _ outputs: Int, _ inputs: Int
      ) throws(WeightFile.Fault) -> Layer {
        Layer(
          weights: try values(weight, outputs * inputs), bias: try values(bias, outputs),
          inputsOfOneColumn: inputs)
      }
      first = try convolution("first", narrow, SpectralFeatures.count, taps: 3)
      second = try convolution("second", middle, narrow, taps: 4)
      third = try convolution("third", wide, middle, taps: 4)
      groupFromInput = Layer(
        weights: try values("of_group.weight_ih_l0", 3 * wide * wide),
        bias: try values("of_group.bias_ih_l0", 3 * wide), inputs: wide)
      groupFromState = Layer(
        weights: try values("of_group.weight_hh_l0", 3 * wide * wide),
        bias: try values("of_group.bias_hh_l0", 3 * wide), inputs: wide)
      // The file has the channels of a group together; here the groups of a channel are together.
      let gathered = try values("gather.weight", whole * quarter * wide)
      gather = Layer(
        weights: (0..<whole).flatMap { row in
          byChannel(wide).map { gathered[row * quarter * wide + $0] }
        },
        bias: try values("gather.bias", whole), inputsOfOneColumn: quarter * wide)
      fromInput = try ofOne("of_all.weight_ih_l0", "of_all.bias_ih_l0", 3 * whole, whole)
      fromState = try ofOne("of_all.weight_hh_l0", "of_all.bias_hh_l0", 3 * whole, whole)
      let spreadWeights = try values("spread.weight", quarter * narrow * whole)
      let spreadBias = try values("spread.bias", quarter * narrow)
      spread = Layer(
        weights: byChannel(narrow).flatMap { spreadWeights[($0 * whole)..<(($0 + 1) * whole)] },
        bias: byChannel(narrow).map { spreadBias[$0] }, inputsOfOneColumn: whole)
      up = try expansion("up", middle, wide + narrow)
      upAgain = try expansion("up_again", narrow, middle)
      leave = try convolution("leave", 3, narrow, taps: 1, plus: 2)
      possibleVoice = try ofOne("voice.weight", "voice.bias", 1, whole)
      voice = try VoiceNetwork.Weights(file, count: whole)
      let startOfGroups = try values("start", quarter * wide)
      start = byChannel(wide).map { startOfGroups[$0] }
    }
  }
}
