import Testing

@testable import anechoic

struct AxisTests {
  @Test(arguments: [
    (0.0...8.0, 5, ["0", "2", "4", "6", "8"]),
    (0.0...22.05, 5, ["0", "5", "10", "15", "20"]),
    (-90.0...0.0, 5, ["-80", "-60", "-40", "-20", "0"]),
    (0.0...0.35, 5, ["0.0", "0.1", "0.2", "0.3"]),
    (-3.0...3.0, 3, ["-2", "0", "2"]),
  ])
  func ticksAreRoundNumbers(range: ClosedRange<Double>, count: Int, labels: [String]) {
    #expect(Axis(range, ticks: count).ticks.map(\.label) == labels)
  }

  @Test(arguments: [
    (0.02, "0.000 0.002 0.004 0.006 0.008 0.010 0.012 0.014 0.016 0.018 0.020"),
    (20.0, "0 2 4 6 8 10 12 14 16 18 20"),
    (90.0, "0:00 0:10 0:20 0:30 0:40 0:50 1:00 1:10 1:20 1:30"),
    (600.0, "0:00 1:00 2:00 3:00 4:00 5:00 6:00 7:00 8:00 9:00 10:00"),
    (7200.0, "0:00:00 0:15:00 0:30:00 0:45:00 1:00:00 1:15:00 1:30:00 1:45:00 2:00:00"),
  ])
  func timesHaveMinutesAndHours(duration: Double, labels: String) {
    let ticks = Axis(time: duration, ticks: 10).ticks
    #expect(ticks.map(\.label).joined(separator: " ") == labels)
  }

  @Test func aDayHasFewTicks() {
    #expect((2...11).contains(Axis(time: 86_400, ticks: 10).ticks.count))
  }

  @Test func placesStayInside() {
    let axis = Axis(-10...10, ticks: 5)
    #expect(axis.place(-10) == 0 && axis.place(0) == 0.5 && axis.place(10) == 1)
    #expect(axis.place(-1e9) == 0 && axis.place(1e9) == 1)
  }

  @Test func numbersAreRounded() {
    #expect((-0.04).fixed(1) == "0.0" && 1.005.fixed(1) == "1.0" && 12.96.fixed(1) == "13.0")
    #expect((-3.25).fixed(2) == "-3.25" && 7.0.fixed(0) == "7" && 0.05.fixed(2) == "0.05")
    #expect(Clock.text(59.999, digits: 2, longest: 90) == "1:00.00")
    #expect(Clock.text(3725.5, digits: 1, longest: 4000) == "1:02:05.5")
  }
}
