package import Inference

/// The weights of `LearnedAdaptation`, shared by all filters.
package final class AdaptationWeights: Sendable {
  static let features = 8
  static let hidden = 16
  /// The rows of the last layer: two outputs, padded for the kernel.
  static let outputs = 4

  /// The layer from the features of a bin, then the one from their means over all bins.
  let enter: [Float]
  let enterOfMeans: [Float]
  let enterBias: [Float]
  let fromInput: [Float]
  let fromInputBias: [Float]
  let fromState: [Float]
  let fromStateBias: [Float]
  let leave: [Float]
  let leaveBias: [Float]

  /// Weights with which the filter is a plain Kalman filter: the error counts as noise.
  package static let neutral = AdaptationWeights()

  private init() {
    let (features, hidden) = (Self.features, Self.hidden)
    func zeros(_ count: Int) -> [Float] { [Float](repeating: 0, count: count) }
    (enter, enterOfMeans) = (zeros(hidden * features), zeros(hidden * features))
    enterBias = zeros(hidden)
    (fromInput, fromState) = (zeros(3 * hidden * hidden), zeros(3 * hidden * hidden))
    (fromInputBias, fromStateBias) = (zeros(3 * hidden), zeros(3 * hidden))
    (leave, leaveBias) = (zeros(Self.outputs * hidden), zeros(Self.outputs))
  }

  package init(_ file: WeightFile) throws(WeightFile.Fault) {
    let (features, hidden) = (Self.features, Self.hidden)
    let both = try file.values("adaptation.enter.weight", count: hidden * 2 * features)
    var (enter, enterOfMeans): ([Float], [Float]) = ([], [])
    for row in 0..<hidden {
      enter += both[(2 * row * features)..<((2 * row + 1) * features)]
      enterOfMeans += both[((2 * row + 1) * features)..<((2 * row + 2) * features)]
    }
    (self.enter, self.enterOfMeans) = (enter, enterOfMeans)
    enterBias = try file.values("adaptation.enter.bias", count: hidden)
    fromInput = try file.values("adaptation.recurrent.weight_ih", count: 3 * hidden * hidden)
    fromInputBias = try file.values("adaptation.recurrent.bias_ih", count: 3 * hidden)
    fromState = try file.values("adaptation.recurrent.weight_hh", count: 3 * hidden * hidden)
    fromStateBias = try file.values("adaptation.recurrent.bias_hh", count: 3 * hidden)
    let padding = [Float](repeating: 0, count: 2)
    let leave = try file.values("adaptation.leave.weight", count: 2 * hidden)
    self.leave = leave + [Float](repeating: 0, count: 2 * hidden)
    leaveBias = try file.values("adaptation.leave.bias", count: 2) + padding
  }
}
