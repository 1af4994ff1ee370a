#include <catch2/catch.hpp>
#include <tests/golden/run_command.hpp>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

// Completions offered by bash for given words.

namespace {

/// \param words  of the command line, the last of which is being typed; quoted if it may be empty
std::string offered(const std::string& words) {
  const std::string script = std::string("source <(") + TAILBOUND_EXECUTABLE +
                             " schema --completion); COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _tailbound; echo \"${COMPREPLY[@]}\"";
  const std::string line = "bash -c '" + script + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  std::string text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) text += buffer.data();
  return text;
}

TEST_CASE("completion: commands, options, names of options, files") {
  CHECK(offered("tailbound bu") == "buffer\n");
  CHECK(offered("tailbound simulate h") == "hypercube\n");
  CHECK(offered("tailbound buffer --cri") == "--criterion\n");
  CHECK(offered("tailbound buffer --traffic \"\"") == "bernoulli poisson onoff md1\n");
  CHECK(offered("tailbound buffer --load \"\"") == "\n");
  CHECK(offered("tailbound simulate wormhole --topology m") == "mesh\n");
  CHECK(offered("tailbound buffer --format c") == "csv\n");
  CHECK(offered("tailbound network dr") == "dragonfly\n");
  CHECK(offered("tailbound buffer --output /etc/host").find("/etc/hostname") != std::string::npos);
}

TEST_CASE("completion: all commands") {
  const auto rejected = tailbound::golden::run_line("schema buffer --completion");
  CHECK(rejected.status == 2);
  CHECK(rejected.err.find("--completion") != std::string::npos);
}

}  // namespace
