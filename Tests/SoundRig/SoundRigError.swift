/// What the rig could not do, in words.
public struct SoundRigError: Error, CustomStringConvertible {
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Says which programs the rig needs and this machine has not.
public struct SoundRigUnavailable: Error, CustomStringConvertible {
  public let missing: [String]

  public var description: String {
    "no sound rig without \(missing.joined(separator: ", ")): see scripts/bootstrap"
  }
}
