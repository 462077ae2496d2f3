import AnechoicAPI
import AudioCore
import Foundation
import SwiftProtobuf
import Testing

@testable import anechoic

/// The columns of `--stats` and `--events` follow the protocol.
struct StatisticsTableTests {
  @Test func everyValueOfTheStatisticsHasAColumn() throws {
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../../../..").standardized
    let text = try String(
      contentsOf: root.appending(path: "proto/anechoic/v1/stats.proto"), encoding: .utf8)
    var values = 0
    for field in text.matches(of: /\n +(?:optional )?([\w.]+) (\w+) = \d+;/) {
      // A buffer is counted where its own fields are, which both buffers have.
      values += ["Echo", "Timing", "Levels", "Flow", "Buffer"].contains(field.1) ? 0 : 1
    }
    let ofTheSecondBuffer = 2
    let time = 1
    #expect(StatisticsTable.columns.count == values + ofTheSecondBuffer + time)
  }

  @Test func theNewestStatisticsAreInTheirColumns() {
    let stats = Anechoic_V1_SessionStats.with {
      $0.echo.referenceActive = true
      $0.echo.heardReductionDb = 31.5
      $0.timing.threadLoad = 0.25
      $0.levels.referenceRmsDbfs = -20
      $0.spatialAudioActive = true
      $0.farEnd.target = .init(seconds: 0, nanos: 40_000_000)
    }
    let row = Dictionary(
      uniqueKeysWithValues: zip(StatisticsTable.columns.map(\.name), StatisticsTable.row(stats)))
    #expect(row["reference_active"] == .truth(true))
    #expect(row["heard_reduction_db"] == .real(31.5))
    #expect(row["thread_load"] == .real(0.25) && row["reference_dbfs"] == .real(-20))
    #expect(row["spatial_audio_active"] == .truth(true))
    #expect(row["far_end_target_ms"] == .real(40) && row["other_audio_target_ms"] == .missing)
  }

  @Test func aTurnHasItsBeginningAndItsProbability() throws {
    let event = Anechoic_V1_SessionEvent.with {
      $0.microphoneSample = 32_000
      $0.turnStarted.beganAtSample = 24_000
      $0.turnStarted.probability = 0.75
    }
    let row = Dictionary(
      uniqueKeysWithValues: zip(EventTable.columns.map(\.name), try EventTable.row(event, .hz16000))
    )
    #expect(row["began_s"] == .real(1.5) && row["probability"] == .real(0.75))
    #expect(row["event"] == .text("turn_started"))
  }
}
