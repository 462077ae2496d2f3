import AudioFiles
import Foundation
import Testing

/// The library for C, through the example in examples/c.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CLibraryTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  /// Builds a C program with the library. Returns its path.
  private func build(_ source: String, _ options: [String] = []) async throws -> String {
    let library = URL(fileURLWithPath: Command.path("libanechoic-c.so"))
    let result = try await Command.run(
      "/usr/bin/env",
      [
        "clang", source, "-o", folder.path("program"), "-Wall", "-Wextra", "-Werror",
        "-I\(Folder.package.path)/Sources/CAnechoic/include", library.path,
        "-Wl,-rpath,\(library.deletingLastPathComponent().path)",
      ] + options, in: folder)
    try #require(result.status == 0, "\(result.errors)")
    return folder.path("program")
  }

  private func writeSamples() throws {
    try folder.writeCall(milliseconds: 4000)
    for name in ["microphone", "reference"] {
      // A WAV file's samples follow its header.
      try folder.write(try folder.data("\(name).wav").suffix(4000 * 32), "\(name).s16")
    }
  }

  @Test func theExampleRemovesTheEcho() async throws {
    try writeSamples()
    let program = try await build("\(Folder.package.path)/examples/c/clean.c")
    let server = try await ServerProcess(in: folder)
    let result = try await Command.run(
      program, [server.address, "microphone.s16", "reference.s16", "voice.s16"], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("event 0 at -1: 0 sessions/"), "\(result.errors)")
    let voice = try folder.data("voice.s16")
    #expect(voice.count == 4000 * 32)
    #expect(
      energy(voice.suffix(32_000)) < energy(try folder.data("microphone.s16").suffix(32_000)) / 10)
  }

  @Test func withoutAServerTheMicrophonePassesWithTheSameDelay() async throws {
    try writeSamples()
    let program = try await build("\(Folder.package.path)/examples/c/clean.c")
    let result = try await Command.run(
      program, ["127.0.0.1:1", "microphone.s16", "reference.s16", "voice.s16"], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("event 1 at -1: 0 UNAVAILABLE"), "\(result.errors)")
    let (voice, microphone) = (
      try folder.data("voice.s16"), try folder.data("microphone.s16")
    )
    let delay = 120 * 32
    #expect(voice.prefix(delay).allSatisfy { $0 == 0 })
    #expect(voice.dropFirst(delay).elementsEqual(microphone.dropLast(delay)))
  }

  @Test func invalidOptionsAreNamed() async throws {
    let source = """
      #include <anechoic.h>
      #include <stdio.h>
      int main(void) {
        anechoic_options options;
        char message[120];
        anechoic_options_init(&options);
        options.sample_rate_hz = 22050;
        if (anechoic_open(&options, message, sizeof message)) return 1;
        puts(message);
        anechoic_options_init(&options);
        options.server = "nowhere";
        if (anechoic_open(&options, message, sizeof message)) return 1;
        puts(message);
        anechoic_options_init(&options);
        options.ca_file = "absent.pem";
        if (anechoic_open(&options, message, sizeof message)) return 1;
        puts(message);
        anechoic_options empty = {0};
        if (anechoic_open(&empty, message, 8)) return 1;
        puts(message);
        anechoic_close(NULL);
        return 0;
      }
      """
    try folder.write(Data(source.utf8), "options.c")
    let program = try await build("options.c")
    let result = try await Command.run(program, [], in: folder)
    #expect(result.status == 0)
    let lines = result.text.split(separator: "\n")
    try #require(lines.count == 4)
    #expect(lines[0].contains("microphone: 22050 Hz is not supported; use 8000"), "\(lines)")
    #expect(lines[1].contains("server: \"nowhere\" is not an address"), "\(lines)")
    #expect(lines[2].contains("absent.pem: the file cannot be read"), "\(lines)")
    #expect(lines[3] == "size: c", "\(lines)")
  }

  @Test func theHeaderIsValidCPlusPlus() async throws {
    try folder.write(
      Data("#include <anechoic.h>\nint main() { anechoic_close(nullptr); }\n".utf8), "main.cc")
    let program = try await build("main.cc", ["-std=c++17"])
    #expect(try await Command.run(program, [], in: folder).status == 0)
  }

  private func energy(_ bytes: Data) -> Double {
    let values = Array(bytes).withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) }
    return values.reduce(0) { $0 + Double($1) * Double($1) }
  }
}
