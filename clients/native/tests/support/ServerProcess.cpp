#include "ServerProcess.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "Checks.h"
#include "Child.h"

std::string ServerProcess::path, ServerProcess::sample;
const std::vector<std::string> ServerProcess::withAPage = {"--http-listen", "127.0.0.1:0",
                                                           "--live-page", "on"};
const std::vector<std::string> ServerProcess::withTokens = {
    "--authentication", "jwt", "--jwt-keys", "keys.pem", "--jwt-issuer", "https://login.example",
    "--jwt-audience", "anechoic"};

ServerProcess::ServerProcess(const std::vector<std::string>& more) : more_(more) {
  std::string pattern = std::filesystem::temp_directory_path() / "anechoic-XXXXXX";
  check(mkdtemp(pattern.data()) != nullptr, "a folder can be made");
  folder_ = pattern;
}

ServerProcess::~ServerProcess() {
  kill();
  std::filesystem::remove_all(folder_);
}

void ServerProcess::start() {
  const std::string socket = folder_ + "/server.sock";
  std::filesystem::remove(socket);
  startOn(address());
  waitFor([&] { return std::filesystem::exists(socket); }, "the server listens");
}

void ServerProcess::startOnAPort() {
  // A port that was free a moment ago.
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof any;
  check(bind(probe, reinterpret_cast<sockaddr*>(&any), size) == 0 &&
            getsockname(probe, reinterpret_cast<sockaddr*>(&any), &size) == 0,
        "there is a free port");
  close(probe);
  port_ = ntohs(any.sin_port);
  startOn(tcpAddress());
}

void ServerProcess::startOn(const std::string& listen) {
  std::vector<std::string> words = {path,  "--listen",      listen, "--admin-listen",
                                    "off", "--http-listen", "off"};
  words.insert(words.end(), more_.begin(), more_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const std::string log = folder_ + "/log";
  child_ = forkChild();
  if (child_ == 0) {
    const int file = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND, 0600);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    if (chdir(folder_.c_str()) != 0) _exit(126);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
}

void ServerProcess::kill() {
  if (child_ <= 0) return;
  send(SIGKILL);
  waitpid(child_, nullptr, 0);
  child_ = 0;
}

void ServerProcess::send(int signal) const { ::kill(child_, signal); }

void ServerProcess::runScript(const std::string& name, const std::string& arguments) const {
  const std::string command = sample + "/../clients/native/tests/support/" + name + " " + folder_;
  check(std::system((command + " " + arguments).c_str()) == 0, name + " succeeds: " + arguments);
}

std::string ServerProcess::steer(const std::string& method, const std::string& json) const {
  const std::string output = folder_ + "/steered";
  runScript("steer-sessions", method + " '" + json + "' > " + output);
  std::ifstream file(output);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string ServerProcess::makeToken() const {
  runScript("make-token", "");
  return folder_ + "/token.good";
}

size_t ServerProcess::count(const std::string& text) const {
  std::ifstream file(folder_ + "/log");
  const std::string log{std::istreambuf_iterator<char>(file), {}};
  size_t found = 0;
  for (size_t at = 0; (at = log.find(text, at)) != std::string::npos; ++at) ++found;
  return found;
}
