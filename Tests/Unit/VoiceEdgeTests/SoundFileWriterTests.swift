import AudioCore
import AudioFiles
import Foundation
import LinuxSystem
import Testing
import TestTime

@testable import VoiceEdge

@Suite(.timeLimit(.minutes(1)))
struct SoundFileWriterTests {
  private let folder: Folder
  private let lines = Lines()
  private let ring = FrameRing<CaptureNote>(
    rate: .hz8000, channelCount: 1, capacity: 16, note: CaptureNote())

  init() throws { folder = try Folder() }

  /// Says 10 ms.
  private func speak() { _ = ring.write(Frame(rate: .hz8000, channelCount: 1), CaptureNote()) }

  private func write() -> SoundFileWriter {
    SoundFileWriter(path: folder.path("voice.wav"), title: "voice", from: ring, log: lines.add)
  }

  @Test func aRecordingStaysAndTheNextOneGoesBesideIt() throws {
    for _ in 0..<3 {
      speak()
      let writer = write()
      writer.stop()
      writer.join()
    }
    for name in ["voice.wav", "voice-2.wav", "voice-3.wav"] {
      #expect(try AudioFileReader(path: folder.path(name)).sampleCount == 80)
    }
    let path = folder.path("voice")
    #expect(
      lines.all
        == [2, 3].map { "voice: \(path).wav exists; this recording goes to \(path)-\($0).wav" })
  }

  @Test func withoutSoundThereIsNoFile() {
    let writer = write()
    writer.stop()
    writer.join()
    #expect(!FileManager.default.fileExists(atPath: folder.path("voice.wav")))
  }

  /// The disk is full for a while.
  @Test func aRecordingGoesOnAfterAnError() async throws {
    let path = folder.path("voice.wav")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let writer = write()
    try await eventually("an error") {
      speak()
      return !lines.all.isEmpty
    }
    try FileManager.default.removeItem(atPath: path)
    try await eventually("a recording") {
      speak()
      return FileIdentity.isRegular(path)
    }
    writer.stop()
    writer.join()
    #expect(try AudioFileReader(path: path).sampleCount > 0)
    #expect(lines.all.count == 1 && lines.contain("; trying again"), "\(lines.all)")
  }

  /// A program that is killed leaves the file as it is now.
  @Test func theHeaderOfAFileThatGrowsCountsItsSamples() async throws {
    let writer = write()
    try await eventually("the header counts") {
      speak()
      guard let file = FileManager.default.contents(atPath: folder.path("voice.wav")),
        file.count > 44
      else { return false }
      return file[36..<40].elementsEqual("data".utf8) && file[40..<44].contains { $0 > 0 }
    }
    writer.stop()
    writer.join()
  }
}
