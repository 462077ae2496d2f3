/// A failure of the rig. The description says what failed.
public struct SoundRigError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// The programs that the rig needs and this machine lacks.
public struct SoundRigUnavailableError: Error, CustomStringConvertible {
  public let missing: [String]

  public var description: String {
    "no sound rig without \(missing.joined(separator: ", ")): see scripts/bootstrap"
  }
}
