/// The markup of plots that the page and the picture share. All places are shares of the parent's
/// size, so that a plot has any size and its texts keep theirs.
enum PlotMarkup {
  /// The size of the coordinates of curves and lanes.
  struct Size {
    var width: Double
    var height: Double

    /// A size for plots that are stretched to their places later.
    static let stretched = Size(width: 2000, height: 200)
  }

  /// Returns the inside of a plot: the grid, the data, and the line of the playing position. Not all
  /// programs keep the width of lines that are stretched, so `size` should be that of the place, if
  /// it is known.
  static func cell(_ plot: Plot, time: Axis, size: Size = .stretched) -> String {
    let grid = time.ticks.map { tick in
      let x = Markup.percent(time.place(tick.value))
      return "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>"
    }.joined()
    let head = "<line class=\"head\" x1=\"0\" x2=\"0\" y1=\"0\" y2=\"100%\"/>"
    switch plot.content {
    case .image(let image, _):
      // The grid would hide the picture.
      return """
        <image width="100%" height="100%" preserveAspectRatio="none" \
        href="\(Markup.dataURL("image/png", image.bytes))"/>\(head)
        """
    case .curves(let curves, let axis):
      let lines = axis.ticks.map { tick in
        let y = Markup.percent(1 - axis.place(tick.value))
        return "<line class=\"grid\" x1=\"0\" x2=\"100%\" y1=\"\(y)\" y2=\"\(y)\"/>"
      }.joined()
      let paths = curves.map { curve in
        let d = path(curve, time, axis, size)
        return "<path class=\"curve \(curve.tint.rawValue)\" vector-effect=\"non-scaling-stroke\""
          + " d=\"\(d)\"/>"
      }.joined()
      return grid + lines + scaled(paths, size) + head
    case .lanes(let lanes, let marks):
      let spans = lanes.enumerated().map { lane($1, $0, of: lanes.count, time, size) }.joined()
      return grid + scaled(spans, size) + marks.map { mark($0, time) }.joined() + head
    }
  }

  /// Returns the inside of the column with the labels of a plot, which is right-aligned.
  static func gutter(_ plot: Plot) -> String {
    switch plot.content {
    case .image(_, let axis), .curves(_, let axis):
      axis.ticks.map { tick in
        let place = 1 - axis.place(tick.value)
        // Labels at the ends stay inside.
        let shift = place < 0.04 ? "0.8em" : place > 0.96 ? "-0.1em" : "0.35em"
        return "<text x=\"100%\" y=\"\(Markup.percent(place))\" dx=\"-6\" dy=\"\(shift)\""
          + " text-anchor=\"end\">\(Markup.escape(tick.label))</text>"
      }.joined()
    case .lanes(let lanes, _):
      lanes.enumerated().map { index, lane in
        let y = Markup.percent((Double(index) + 0.5) / Double(lanes.count))
        return "<text x=\"100%\" y=\"\(y)\" dx=\"-6\" dy=\"0.35em\" text-anchor=\"end\">"
          + "\(Markup.escape(lane.name))</text>"
      }.joined()
    }
  }

  /// Returns the labels of the time axis. Every second one has the class `even`, so that a narrow
  /// page can leave the others out.
  static func timeLabels(_ time: Axis) -> String {
    time.ticks.enumerated().map { index, tick in
      let place = time.place(tick.value)
      let anchor = place < 0.02 ? "start" : place > 0.98 ? "end" : "middle"
      return "<text class=\"\(index.isMultiple(of: 2) ? "even" : "odd")\""
        + " x=\"\(Markup.percent(place))\" y=\"0\" dy=\"1.1em\" text-anchor=\"\(anchor)\">"
        + "\(Markup.escape(tick.label))</text>"
    }.joined()
  }

  /// Returns the scale of the colours, with its labels below.
  static func colorBar(_ levels: ClosedRange<Double>) -> String {
    let stops = ColorMap.gradient.map {
      "<stop offset=\"\(Markup.percent($0.place))\" stop-color=\"\($0.color)\"/>"
    }.joined()
    let axis = Axis(levels, ticks: 5)
    let labels = axis.ticks.map { tick in
      let place = axis.place(tick.value)
      let anchor = place < 0.02 ? "start" : place > 0.98 ? "end" : "middle"
      return "<text x=\"\(Markup.percent(place))\" y=\"10\" dy=\"1.15em\""
        + " text-anchor=\"\(anchor)\">\(tick.label)</text>"
    }.joined()
    return """
      <defs><linearGradient id="levels">\(stops)</linearGradient></defs>\
      <rect width="100%" height="10" rx="2" fill="url(#levels)"/>\(labels)
      """
  }

  private static func scaled(_ markup: String, _ size: Size) -> String {
    """
    <svg width="100%" height="100%" viewBox="0 0 \(size.width.fixed(1)) \(size.height.fixed(1))" \
    preserveAspectRatio="none">\(markup)</svg>
    """
  }

  private static func path(
    _ curve: Plot.Curve, _ time: Axis, _ axis: Axis, _ size: Size
  ) -> String {
    var path = ""
    var isDrawing = false
    for point in curve.points {
      guard let value = point.value, value.isFinite else {
        isDrawing = false
        continue
      }
      let x = (time.place(point.time) * size.width).fixed(1)
      let y = ((1 - axis.place(value)) * size.height).fixed(1)
      // A point without neighbours is a line of no length with round ends.
      path += isDrawing ? "L\(x) \(y)" : "M\(x) \(y)h0"
      isDrawing = true
    }
    return path
  }

  private static func lane(
    _ lane: Plot.Lane, _ index: Int, of count: Int, _ time: Axis, _ size: Size
  ) -> String {
    let (top, bottom) = (Double(index) + 0.18, Double(index) + 0.82)
    let (y, end) = (top / Double(count) * size.height, bottom / Double(count) * size.height)
    let path = lane.spans.map { span in
      let x = time.place(span.lowerBound) * size.width
      let right = time.place(span.upperBound) * size.width
      // A short span of a long recording would be invisible.
      return "M\(x.fixed(1)) \(y.fixed(1))H\(max(right, x + 1).fixed(1))V\(end.fixed(1))"
        + "H\(x.fixed(1))z"
    }.joined()
    return "<path class=\"span \(lane.tint.rawValue)\" d=\"\(path)\"/>"
  }

  private static func mark(_ seconds: Double, _ time: Axis) -> String {
    let x = Markup.percent(time.place(seconds))
    return "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"100%\"/>"
  }
}
