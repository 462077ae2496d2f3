// Uses libanechoic in a program that has a Swift runtime of its own:
//
//   swiftc -import-objc-header anechoic.h TwoRuntimes.swift -o two-runtimes -lanechoic
//   two-runtimes SERVER
//
// Ends with 0 once the library has returned processed sound while tasks of this program run.

import Foundation

func fail(_ message: String) -> Never {
  FileHandle.standardError.write(Data("two-runtimes: \(message)\n".utf8))
  exit(1)
}

/// Runs tasks, casts and looks up types: the parts of a runtime that have global state.
func useThisRuntime() async -> Int {
  await withTaskGroup(of: Int.self) { group in
    for number in 0..<100 {
      group.addTask {
        let values: [any Sendable] = [number, "\(number)", Date()]
        return values.compactMap { $0 as? Int }.reduce(0, +)
      }
    }
    return await group.reduce(0, +)
  }
}

guard CommandLine.arguments.count == 2 else { fail("usage: two-runtimes SERVER") }
var options = anechoic_options()
anechoic_options_init(&options)
options.server = UnsafePointer(strdup(CommandLine.arguments[1]))
guard let session = anechoic_open(&options, nil, 0) else { fail("the options are not valid") }

let end = Date(timeIntervalSinceNow: 60)
let silence = [Float](repeating: 0, count: 480)
var output = silence
while !anechoic_is_processing(session) {
  guard Date() < end else { fail("there is no processed sound after 60 s") }
  anechoic_push(session, silence, nil, silence.count)
  _ = anechoic_pull(session, &output, output.count)
  guard await useThisRuntime() == 4950 else { fail("the tasks of this program return wrong sums") }
  try await Task.sleep(for: .milliseconds(10))
}
anechoic_close(session)
