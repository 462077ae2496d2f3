internal import CKernels

/// A convolution over neighbouring bands, each of which gives one value for each output: a layer
/// that reads the rows of the bands at a distance.
package struct BandConvolution: ~Copyable {
  /// The weights, shared by all convolutions.
  package struct Weights: Sendable {
    fileprivate let layer: Layer
    fileprivate let taps: Int

    /// `weights` has a value for each output, channel and tap, in this order.
    package init(_ weights: [Float], bias: [Float], channels: Int, taps: Int) {
      layer = Layer(weights: weights, bias: bias, inputs: channels * taps)
      self.taps = taps
    }
  }

  private let layer: Layer
  private let table: RowTable

  /// Creates a convolution of `input` whose first tap is `first` bands away.
  package init(_ weights: Weights, of input: BandRows, first: Int) {
    layer = weights.layer
    table = RowTable(
      (0..<input.channels).flatMap { channel in
        (0..<weights.taps).map { UnsafePointer(input.row(channel) + first + $0) }
      })
  }

  /// Creates a convolution of every second band of a signal, which comes as its even and its odd
  /// bands. It has four taps: the band before, the band itself, and the two after.
  package init(_ weights: Weights, ofEvery even: BandRows, _ odd: BandRows) {
    layer = weights.layer
    table = RowTable(
      (0..<even.channels).flatMap { channel -> [UnsafePointer<Float>] in
        let (even, odd) = (UnsafePointer(even.row(channel)), UnsafePointer(odd.row(channel)))
        return [odd - 1, even, odd, even + 1]
      })
  }

  /// Computes the values of `output`. Runs per frame: no allocation, lock, log or await.
  package func apply(into output: BandRows, _ kernels: Kernels) {
    layer.apply(
      to: table, columns: output.width, into: output.start, stride: output.stride, kernels)
  }
}

/// A convolution that doubles the number of bands (a transposed convolution of 4 taps): one
/// convolution of two taps for the even bands, one for the odd ones.
package struct TransposedBandConvolution: ~Copyable {
  /// The weights, shared by all convolutions.
  package struct Weights: Sendable {
    fileprivate let even: BandConvolution.Weights
    fileprivate let odd: BandConvolution.Weights

    /// `weights` has a value for each channel, output and tap, in this order.
    package init(_ weights: [Float], bias: [Float], channels: Int) {
      func part(_ taps: [Int]) -> BandConvolution.Weights {
        let values = bias.indices.flatMap { output in
          (0..<channels).flatMap { channel in
            taps.map { weights[(channel * bias.count + output) * 4 + $0] }
          }
        }
        return BandConvolution.Weights(values, bias: bias, channels: channels, taps: 2)
      }
      even = part([3, 1])
      odd = part([2, 0])
    }
  }

  private let even: BandConvolution
  private let odd: BandConvolution

  package init(_ weights: Weights, of input: BandRows) {
    even = BandConvolution(weights.even, of: input, first: -1)
    odd = BandConvolution(weights.odd, of: input, first: 0)
  }

  /// Computes the values of `output`, which has twice as many bands. `halves` are for the even and
  /// the odd bands meanwhile. Runs per frame: no allocation, lock, log or await.
  package func apply(
    into output: BandRows, halves: (BandRows, BandRows), _ kernels: Kernels
  ) {
    even.apply(into: halves.0, kernels)
    odd.apply(into: halves.1, kernels)
    for channel in 0..<output.channels {
      kernels.table.interleave(
        halves.0.row(channel), halves.1.row(channel), output.row(channel), Int32(output.bands / 2))
    }
  }
}
