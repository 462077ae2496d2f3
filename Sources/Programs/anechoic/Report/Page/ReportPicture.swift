/// A report as one SVG picture without other files, for documents and messages.
package struct ReportPicture {
  private static let width = 1200.0
  private static let margin = 32.0
  private static let gutter = 84.0
  private static let imageHeight = 132.0
  private static let curvesHeight = 96.0
  private static let laneHeight = 26.0
  private static let headingHeight = 26.0
  private static let timesHeight = 30.0
  private static let timeTicks = 10

  /// The style: that of the page in light colours.
  private static let style = """
    text { font-family: "DejaVu Sans", sans-serif; font-size: 12px; fill: #63636e; }
    .title { font-size: 24px; font-weight: bold; fill: #1c1c22; }
    .name { font-size: 14px; font-weight: bold; fill: #1c1c22; }
    .value { font-size: 20px; fill: #1c1c22; }
    .alert { fill: #c83232; }
    .panel { fill: #f6f5f3; }
    .grid { stroke: #dddbd6; }
    .head { stroke: none; }
    .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
    .curve.microphone { stroke: #2b68d8; } .curve.reference { stroke: #b36b00; }
    .curve.output { stroke: #0b8069; } .curve.warning { stroke: #c83232; }
    .curve.second { stroke: #a23bb5; }
    .span.second, .key.second { fill: #a23bb5; }
    .span.microphone, .key.microphone { fill: #2b68d8; }
    .span.reference, .key.reference { fill: #b36b00; }
    .span.output, .key.output { fill: #0b8069; }
    .span.warning, .key.warning { fill: #c83232; }
    .mark { stroke: #1c1c22; stroke-opacity: 0.5; stroke-dasharray: 2 3; }
    """

  private let report: Report
  private let time: Axis

  package init(_ report: Report) {
    self.report = report
    time = Axis(time: report.duration, ticks: Self.timeTicks)
  }

  /// The picture as SVG 1.1, with images as data URLs.
  package var svg: String {
    var y = Self.margin
    var body = header(&y)
    for plot in report.sounds.map(\.plot) + report.plots { body += markup(of: plot, &y) }
    let height = (y + Self.margin / 2).fixed(0)
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width.fixed(0))" height="\(height)" \
      viewBox="0 0 \(Self.width.fixed(0)) \(height)">
      <style>\(Self.style)</style>
      <rect width="100%" height="100%" fill="#ffffff"/>
      \(body)
      </svg>

      """
  }

  private func header(_ y: inout Double) -> String {
    let x = Self.margin
    var text = line(report.title, "title", x, y + 18)
    text += line(report.subtitle, "", x, y + 42)
    for warning in report.warnings {
      y += 20
      text += line("Warning: \(warning).", "alert", x, y + 42)
    }
    y += 62
    let bar = 180.0
    let share = (Self.width - 2 * x - bar - 60) / Double(max(1, report.highlights.count))
    for (index, fact) in report.highlights.enumerated() {
      let left = x + Double(index) * share
      text += line(fact.name, "", left, y + 12) + line(fact.text, "value", left, y + 36)
    }
    text += """
      <svg x="\((Self.width - x - bar).fixed(1))" y="\((y + 8).fixed(1))" width="\(bar.fixed(0))" \
      height="30" overflow="visible">\(PlotMarkup.colorBar(report.levels))</svg>
      """
    text += line("dBFS", "", Self.width - x - bar - 40, y + 18)
    y += 56
    return text
  }

  private func markup(of plot: Plot, _ y: inout Double) -> String {
    let height: Double =
      switch plot.content {
      case .image: Self.imageHeight
      case .curves: Self.curvesHeight
      case .lanes(let lanes, _): Self.laneHeight * Double(lanes.count)
      }
    let x = Self.margin + Self.gutter
    let width = Self.width - Self.margin - x
    let size = PlotMarkup.Size(width: width, height: height)
    var text = heading(plot, x, y + 15)
    y += Self.headingHeight
    text += """
      <rect class="panel" x="\(x.fixed(1))" y="\(y.fixed(1))" width="\(width.fixed(1))" \
      height="\(height.fixed(1))"/>
      \(box(PlotMarkup.gutter(plot), Self.margin, y, Self.gutter, height))
      \(box(PlotMarkup.cell(plot, time: time, size: size), x, y, width, height))
      \(box(PlotMarkup.timeLabels(time), x, y + height, width, 18))
      """
    y += height + Self.timesHeight
    return text
  }

  private func heading(_ plot: Plot, _ x: Double, _ y: Double) -> String {
    var keys = ""
    if case .curves(let curves, _) = plot.content, curves.count > 1 {
      keys = curves.map {
        "<tspan class=\"key \($0.tint.rawValue)\" dx=\"14\">●</tspan> \(Markup.escape($0.name))"
      }.joined()
    }
    return """
      <text x="\(x.fixed(1))" y="\(y.fixed(1))"><tspan class="name">\(Markup.escape(plot.title))\
      </tspan> <tspan dx="4">\(Markup.escape(plot.caption))</tspan>\(keys)</text>
      """
  }

  private func box(
    _ markup: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double
  ) -> String {
    """
    <svg x="\(x.fixed(1))" y="\(y.fixed(1))" width="\(width.fixed(1))" height="\(height.fixed(1))" \
    overflow="visible">\(markup)</svg>
    """
  }

  private func line(_ text: String, _ kind: String, _ x: Double, _ y: Double) -> String {
    "<text class=\"\(kind)\" x=\"\(x.fixed(1))\" y=\"\(y.fixed(1))\">\(Markup.escape(text))</text>"
  }
}
