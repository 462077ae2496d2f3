internal import CKernels

/// A layer of a network: outputs = weights x inputs + bias, for one column or for many.
package struct Layer: Sendable {
  package let rows: Int
  package let inputs: Int
  private let weights: [Float]
  private let bias: [Float]
  private let isForOneColumn: Bool

  /// Creates a layer for many columns. `weights` has `inputs` values for each row. There may be up
  /// to three rows of zeros more.
  package init(weights: [Float], bias: [Float], inputs: Int) {
    precondition(weights.count == bias.count * inputs)
    let padding = (4 - bias.count % 4) % 4
    rows = bias.count + padding
    self.inputs = inputs
    let padded = weights + [Float](repeating: 0, count: padding * inputs)
    // In groups of four rows: for each input, the weights of the four.
    self.weights = stride(from: 0, to: rows, by: 4).flatMap { first in
      (0..<inputs).flatMap { input in (0..<4).map { padded[(first + $0) * inputs + input] } }
    }
    self.bias = bias + [Float](repeating: 0, count: padding)
    isForOneColumn = false
  }

  /// Creates a layer for one column. `weights` has `inputs` values for each row.
  package init(weights: [Float], bias: [Float], inputsOfOneColumn inputs: Int) {
    precondition(weights.count == bias.count * inputs)
    rows = Kernels.padded(bias.count)
    self.inputs = inputs
    var columns = [Float](repeating: 0, count: rows * inputs)
    for row in bias.indices {
      for input in 0..<inputs { columns[input * rows + row] = weights[row * inputs + input] }
    }
    self.weights = columns
    self.bias = bias + [Float](repeating: 0, count: rows - bias.count)
    isForOneColumn = true
  }

  /// Applies the layer to `count` columns, a multiple of the kernels' width, of the rows that a
  /// table names. Rows of outputs are `stride` apart; there is room for `rows` of them. Runs per
  /// frame: no allocation, lock, log or await.
  ///
  /// - Parameters:
  ///   - first: The first column.
  ///   - bias: A value for each row, instead of the layer's own.
  package func apply(
    to table: borrowing RowTable, from first: Int = 0, columns count: Int,
    bias: UnsafePointer<Float>? = nil,
    into output: UnsafeMutablePointer<Float>, stride: Int, _ kernels: Kernels
  ) {
    precondition(!isForOneColumn && table.count == inputs)
    self.bias.withUnsafeBufferPointer { own in
      kernels.table.layer(
        weights, bias ?? own.baseAddress, table.start, output, Int32(stride), Int32(rows),
        Int32(inputs), Int32(first), Int32(count))
    }
  }

  /// Applies the layer to one column. Runs per frame: no allocation, lock, log or await.
  package func apply(
    to input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ kernels: Kernels
  ) {
    precondition(isForOneColumn)
    kernels.table.layer_of_column(weights, bias, input, output, Int32(rows), Int32(inputs))
  }
}
