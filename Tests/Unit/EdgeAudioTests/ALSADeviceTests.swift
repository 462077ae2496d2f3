import AudioCore
import EdgeAudio
import Foundation
import Testing

/// PCMs of alsa-lib itself, because the machines of the tests have no sound card: `null`, which takes and gives
/// samples without a clock, through `plug` and `tee`, which writes what is played to a file.
@Suite(.timeLimit(.minutes(1)))
struct ALSADeviceTests {
  @Test(arguments: [8000, 16000, 44100, 48000], [1, 2, 4, 6])
  func whatIsPlayedComesOutInEachFormat(hertz: Int, channels: Int) throws {
    let rate = try #require(SampleRate.allCases.first { $0.hertz == hertz })
    let file = FileManager.default.temporaryDirectory.appending(path: "tee-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let count = rate.samplesPerFrame
    let samples = (0..<(count * channels)).map { Float($0 % 1000) / 32768 }
    do {
      let device = try ALSASystem().open(
        "tee:null,\(file.path),raw", .playback,
        DeviceWish(rate: rate, channelCount: channels, periodCount: 4))
      #expect(device.format.rate == rate && device.format.channelCount == channels)
      try device.prepare()
      try device.wait(.milliseconds(20))
      let written = try samples.withUnsafeBufferPointer {
        try device.write($0.baseAddress!, atMost: count)
      }
      #expect(written == count)
    }
    let bytes = try Data(contentsOf: file)
    let played = bytes.withUnsafeBytes { bytes in
      (0..<(bytes.count / 2)).map { bytes.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
    }
    #expect(played.prefix(samples.count).map { Float($0) / 32768 } == samples)
  }

  @Test(arguments: ["null", "plug:null", "plug:SLAVE=null"], [44100, 48000])
  func aMicrophoneIsOpenedThroughPlugIns(name: String, hertz: Int) throws {
    let rate = try #require(SampleRate.allCases.first { $0.hertz == hertz })
    let device = try ALSASystem().open(
      name, .capture, DeviceWish(rate: rate, channelCount: 4, periodCount: 4))
    #expect(device.format.rate == rate && device.format.channelCount == 4)
    try device.prepare()
    var samples = [Float](repeating: 1, count: device.format.bufferSamples * 4)
    try device.wait(.milliseconds(20))
    let count = try samples.withUnsafeMutableBufferPointer {
      try device.read($0.baseAddress!, atMost: device.format.periodSamples)
    }
    #expect(count > 0)
    #expect(samples.prefix(count * 4).allSatisfy { $0 == 0 })
  }

  @Test func aPCMThatALSADoesNotKnowIsAbsent() {
    #expect(throws: DeviceError.self) {
      _ = try ALSASystem().open(
        "hw:CARD=NoSuchCard", .capture, DeviceWish(rate: .hz48000, channelCount: 1, periodCount: 4))
    }
  }
}
