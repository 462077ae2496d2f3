import Foundation
import Testing

@testable import anechoic_server

/// `anechoic-server measure`, with one session: the figures of a busy machine say nothing.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct MeasureTests {
  @Test(arguments: MeasuredKind.allCases)
  func sessionsOfEachKindRun(_ kind: MeasuredKind) async throws {
    let measurement = CapacityMeasurement(
      kind, late: .milliseconds(100), each: .milliseconds(500), most: 1, limit: .seconds(5)
    ) { _ in }
    let result = try await measurement.run()
    #expect(result.kind == kind.rawValue && result.coreShare > 0 && result.predictedShare > 0)
    #expect(result.sessionsOnTime <= 1)
  }

  @Test func theReportSaysWhatItMeasuredAndThatTheMachineIsNoisy() {
    var report = CapacityReport(lateMilliseconds: 20)
    report.kinds = [
      CapacityReport.Kind(
        kind: "plain-16", sessionsOnTime: 50, sessionsLate: 52, p99LateMilliseconds: 12,
        coreShare: 0.016, sessionsInBudget: 50, predictedShare: 0.01, foreignShare: 0.2,
        isNoisy: true)
    ]
    #expect(report.text.contains("| plain-16 | 50 | 52 | 12.00 ms | 1.60 % | 50 | 1.00 % |"))
    #expect(report.text.contains("This machine is noisy"))
    #expect(report.json.contains("\"sessions_in_budget\" : 50"))
    let machine = MachineDescription.this
    #expect(machine.cores > 0 && !machine.processor.isEmpty)
  }
}
