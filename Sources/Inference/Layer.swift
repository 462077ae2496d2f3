internal import CKernels

/// A layer of a network: outputs = weights x inputs + bias, for one column or for many.
package struct Layer: Sendable {
  package let rows: Int
  package let inputs: Int
  private let weights: [Float]
  private let bias: [Float]
  private let isForOneColumn: Bool

  /// Creates a layer for many columns. `weights` has `inputs` values for each row.
  package init(weights: [Float], bias: [Float], inputs: Int) {
    precondition(weights.count == bias.count * inputs)
    let padding = (4 - bias.count % 4) % 4
    rows = bias.count + padding
    self.inputs = inputs
    self.weights = weights + [Float](repeating: 0, count: padding * inputs)
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

  /// Applies the layer to `count` columns, a multiple of the kernels' width. Runs per frame: no
  /// allocation, lock, log or await.
  package func apply(
    to input: UnsafePointer<Float>, columns count: Int,
    into output: UnsafeMutablePointer<Float>, _ kernels: Kernels
  ) {
    precondition(!isForOneColumn)
    kernels.table.layer(weights, bias, input, output, Int32(rows), Int32(inputs), Int32(count))
  }

  /// Applies the layer to `count` columns of the rows that a table names. Rows of outputs are
  /// `stride` apart; there is room for `rows` of them. Runs per frame: no allocation, lock, log or
  /// await.
  func apply(
    to table: borrowing RowTable, columns count: Int, into output: UnsafeMutablePointer<Float>,
    stride: Int, _ kernels: Kernels
  ) {
    precondition(!isForOneColumn && table.count == inputs)
    kernels.table.layer_of_rows(
      weights, bias, table.start, output, Int32(stride), Int32(rows), Int32(inputs), Int32(count))
  }

  /// Applies the layer to one column. Runs per frame: no allocation, lock, log or await.
  package func apply(
    to input: UnsafePointer<Float>, into output: UnsafeMutablePointer<Float>, _ kernels: Kernels
  ) {
    precondition(isForOneColumn)
    kernels.table.layer_of_one(weights, bias, input, output, Int32(rows), Int32(inputs))
  }
}
