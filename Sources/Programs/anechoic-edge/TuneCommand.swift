internal import ArgumentParser
internal import CommandLineSupport
internal import EdgeAudio
internal import Foundation
internal import Settings
internal import VoiceEdge

/// Measures a loudspeaker and a microphone, and writes the filters that flatten their response.
struct TuneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tune", abstract: "Measure a product with a sweep, and write its tuning.",
    discussion: """
      Plays a sweep of 3 s until two recordings agree, and fits up to eight filters to the \
      response. Nothing else may use the devices, so stop the agent first. Keep the room quiet. \
      The correction covers the loudspeaker, the room and the microphone together, so measure \
      with a good microphone close to the loudspeaker.

      The file is written anew: other products stay, comments do not.

      With --check, measures with the filters of the file and writes nothing. Exits with 1 if the \
      response then deviates by more than 3 dB between 200 Hz and 6 kHz.
      """)

  @Option(help: ArgumentHelp("The microphone, an ALSA PCM.", valueName: "pcm"))
  var input = "default"

  @Option(help: ArgumentHelp("The loudspeaker, an ALSA PCM.", valueName: "pcm"))
  var output = "default"

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The product, as the key product of a port names it.", valueName: "name"))
  var product: String

  @Option(
    help: ArgumentHelp("The file with the tunings, as audio.tuning names it.", valueName: "path"))
  var file = "/etc/anechoic/tuning.yaml"

  @Option(help: "The side to correct: playback or capture.")
  var side = Side.playback

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The level of the sweep: -60 to 0 dBFS.", valueName: "dbfs"))
  var level = -20.0

  @Flag(help: "Measure with the filters of the file, and write nothing.")
  var check = false

  enum Side: String, ExpressibleByArgument, CaseIterable { case playback, capture }

  func validate() throws {
    guard (-60...0).contains(level) else {
      throw ValidationError("--level: \(level) is not a number from -60 to 0.")
    }
    guard !product.isEmpty, product.utf8.count <= 255, !product.contains(where: \.isNewline) else {
      throw ValidationError("--product must have 1 to 255 bytes in one line.")
    }
  }

  func run() throws {
    let tunings = try TuningFile.read(file)
    let known = tunings?.products[product]
    if check, known == nil {
      let problem = tunings == nil ? "no such file" : "there is no product \"\(product)\""
      throw CommandError("\(file): \(problem)")
    }
    // Before the measurement, so that a path that cannot be written costs no sweep.
    let written = check ? nil : try AtomicFile(file)
    let measured = try measure(check ? known ?? Tuning() : Tuning())
    print("delay        \(rounded(measured.delay)) ms")
    print("response     within \(rounded(measured.deviation)) dB, 200 Hz to 6 kHz")
    guard let written else {
      guard measured.deviation <= 3 else {
        throw CommandError("the response deviates by more than 3 dB", code: 1)
      }
      return
    }
    var tuning = known ?? Tuning()
    let new = measured.tuning(ofCapture: side == .capture)
    tuning.delay = new.delay
    let direction = side == .capture ? new.capture : new.playback
    if side == .capture { tuning.capture = direction } else { tuning.playback = direction }
    var all = tunings ?? TuningFile()
    all.products[product] = tuning
    try written.write(all.text)
    try written.complete()
    print(
      "tuning       \(direction.filters.count) filters, \(rounded(direction.level)) dB, "
        + "written to \(file)")
  }

  private func measure(_ tuning: Tuning) throws(CommandError) -> TuningMeasurement {
    do throws(TuningError) {
      return try TuningMeasurement(
        ALSASystem(), input: input, output: output, tuning: tuning, level: level)
    } catch {
      throw CommandError(error.description)
    }
  }

  /// Returns a number with one decimal. The sum with 0 makes 0 of -0.
  private func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10 + 0)" }
}

extension TuningFile {
  /// Reads a file of tunings. Returns nil if it does not exist.
  static func read(_ file: String) throws(CommandError) -> TuningFile? {
    guard FileManager.default.fileExists(atPath: file) else { return nil }
    let text = try SettingsFile.text(of: file)
    do throws(SettingsError) {
      return try TuningFile(reading: text, name: file) {
        standardError("anechoic-edge: \($0)\n")
      }
    } catch {
      throw CommandError(error.description)
    }
  }
}
