/// The version of this server and of the tools that come with it.
public let anechoicVersion = "0.1.0"
