internal import CommandLineSupport

/// Writes a warning in one line to standard error.
func warn(_ warning: String) { standardError("anechoic: warning: \(warning)\n") }
