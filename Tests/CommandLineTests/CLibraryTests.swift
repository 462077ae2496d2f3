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

  @Test func absentArgumentsAndImpossibleCountsDoNothing() async throws {
    let source = """
      #include <anechoic.h>
      #include <stdio.h>
      int main(void) {
        float samples[480] = {0};
        int16_t codes[480] = {0};
        anechoic_options options;
        anechoic_options_init(NULL);
        anechoic_options_init(&options);
        options.server = "127.0.0.1:1";
        char message[120];
        if (anechoic_open(NULL, message, sizeof message)) return 1;
        puts(message);
        anechoic_session *session = anechoic_open(&options, NULL, 0);
        if (!session) return 2;
        anechoic_push(session, NULL, samples, 480);
        anechoic_push(session, samples, samples, (size_t)-1);
        anechoic_push(NULL, samples, NULL, 480);
        anechoic_push_int16(session, NULL, NULL, 480);
        if (anechoic_pull(session, samples, 480) != 0) return 3;
        anechoic_push(session, samples, NULL, 480);
        if (anechoic_pull(session, NULL, 480) + anechoic_pull(session, samples, (size_t)-1)) return 4;
        if (anechoic_pull_int16(NULL, codes, 480) != 0) return 5;
        if (anechoic_pull(session, samples, 480) != 480) return 6;
        if (anechoic_next_event(session, NULL) || anechoic_next_event(NULL, NULL)) return 7;
        if (anechoic_is_processing(NULL) || anechoic_is_muted(NULL)) return 8;
        anechoic_set_muted(NULL, true);
        anechoic_decide_gesture(session, NULL, true);
        anechoic_decide_injection(session, NULL, true);
        anechoic_close(session);
        return 0;
      }
      """
    try folder.write(Data(source.utf8), "absent.c")
    let program = try await build("absent.c")
    let result = try await Command.run(program, [], in: folder)
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text == "size: call anechoic_options_init first\n")
  }

  @Test func theLastOfManyMuteStatesCountsAndSoundGoesOn() async throws {
    let source = """
      #include <anechoic.h>
      #include <stdio.h>
      #include <time.h>
      int main(int count, char **arguments) {
        anechoic_options options;
        anechoic_options_init(&options);
        options.server = arguments[count - 1];
        options.sample_rate_hz = 16000;
        anechoic_session *session = anechoic_open(&options, NULL, 0);
        float samples[160] = {0};
        struct timespec pause = {0, 10000000};
        int changes = 0, muted = 0, processing = 0;
        anechoic_event event;
        for (int block = 0; block < 6000 && (changes == 0 || !muted || processing < 100); block++) {
          anechoic_push(session, samples, NULL, 160);
          anechoic_pull(session, samples, 160);
          if (anechoic_is_processing(session)) processing++;
          if (processing == 50 && changes == 0)
            for (; changes < 1001; changes++) anechoic_set_muted(session, changes % 2 == 0);
          while (anechoic_next_event(session, &event))
            if (event.kind == ANECHOIC_EVENT_MUTE_CHANGED) muted = event.value;
          nanosleep(&pause, NULL);
        }
        printf("%d %d\\n", muted && anechoic_is_muted(session), processing >= 100);
        anechoic_close(session);
        return 0;
      }
      """
    try folder.write(Data(source.utf8), "mute.c")
    let program = try await build("mute.c")
    let server = try await ServerProcess(in: folder)
    let result = try await Command.run(program, [server.address], in: folder)
    #expect(result.status == 0 && result.text == "1 1\n", "\(result.text) \(result.errors)")
    #expect(!result.errors.contains("MISUSE"), "\(result.errors)")
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
