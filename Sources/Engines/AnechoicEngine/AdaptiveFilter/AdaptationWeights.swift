package import AudioCore

/// The weights of `LearnedAdaptation`, shared by all filters. In the file, `enter` is the input
/// layer and `leave` the output layer.
package final class AdaptationWeights: Sendable {
  static let features = 8
  static let hidden = 16
  /// The rows of the last layer: two outputs, padded for the kernel.
  static let outputs = 4

  /// The layer from the features of a bin.
  let inputLayer: Layer
  /// The weights from the means of the features over all bins to the same layer, for each feature.
  let inputMeanWeights: [Float]
  let inputBias: [Float]
  let fromInput: Layer
  let fromState: Layer
  let outputLayer: Layer

  /// Weights with which the filter is a plain Kalman filter: the observation noise is the power of
  /// the error.
  package static let neutral = AdaptationWeights()

  private init() {
    let (features, hidden) = (Self.features, Self.hidden)
    func zeros(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    func layer(_ rows: Int, _ inputs: Int) -> Layer {
      Layer(weights: zeros(rows * inputs), bias: zeros(rows), inputs: inputs)
    }
    inputLayer = layer(hidden, features)
    (inputMeanWeights, inputBias) = (zeros(hidden * features), zeros(hidden))
    (fromInput, fromState) = (layer(3 * hidden, hidden), layer(3 * hidden, hidden))
    outputLayer = layer(2, hidden)
  }

  package init(_ file: WeightFile) throws(WeightFile.FormatError) {
    let (features, hidden) = (Self.features, Self.hidden)
    func values(_ name: String, _ count: Int) throws(WeightFile.FormatError) -> [Float] {
      try file.values("adaptation." + name, count: count)
    }
    func layer(
      _ weight: String, _ bias: String, _ rows: Int
    ) throws(WeightFile.FormatError) -> Layer {
      Layer(
        weights: try values(weight, rows * hidden), bias: try values(bias, rows), inputs: hidden)
    }
    let both = try values("enter.weight", hidden * 2 * features)
    inputBias = try values("enter.bias", hidden)
    inputLayer = Layer(
      weights: (0..<hidden).flatMap { both[(2 * $0 * features)..<((2 * $0 + 1) * features)] },
      bias: inputBias, inputs: features)
    inputMeanWeights = (0..<features).flatMap { feature in
      (0..<hidden).map { both[(2 * $0 + 1) * features + feature] }
    }
    fromInput = try layer("recurrent.weight_ih", "recurrent.bias_ih", 3 * hidden)
    fromState = try layer("recurrent.weight_hh", "recurrent.bias_hh", 3 * hidden)
    outputLayer = try layer("leave.weight", "leave.bias", 2)
  }
}
