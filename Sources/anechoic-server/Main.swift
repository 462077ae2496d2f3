internal import CommandLineSupport

@main
enum Main {
  static func main() async {
    await ServeCommand.runToExit()
  }
}
