/// The version of the server and its tools.
public let anechoicVersion = "1.0.0"
