#include <catch2/catch.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <cstdlib>
#include <fstream>
#include <string>

// Certificates of guarantees, and their checker, which shares no code with the library.

using tailbound::golden::content;
using tailbound::golden::Folder;
using tailbound::golden::Outcome;
using tailbound::golden::run_line;

namespace {

const std::string data = TAILBOUND_DATA_DIR;

int check(const std::string& certificate) {
  const std::string checker = std::string(TAILBOUND_TESTS_DIR) + "/../share/check_certificate.py";
  const int status =
      std::system(("/usr/bin/python3 -S -B '" + checker + "' '" + certificate + "' >/dev/null").c_str());
  return WEXITSTATUS(status);
}

std::string certificate_of(const Folder& folder, const std::string& network) {
  const std::string file = folder / "certificate.json";
  const Outcome outcome = run_line("guarantee --network " + network + " --quiet --certificate " + file);
  REQUIRE(outcome.status == 0);
  return file;
}

/// With the first digit after a key reduced by one.
std::string with_less(std::string text, const std::string& key) {
  const std::size_t at = text.find_first_of("123456789", text.find(':', text.find("\"" + key + "\"")));
  REQUIRE(at != std::string::npos);
  --text[at];
  return text;
}

int check_text(const Folder& folder, const std::string& text) {
  const std::string file = folder / "changed.json";
  std::ofstream(file) << text;
  return check(file);
}

}  // namespace

TEST_CASE("a certificate of a line with four classes is valid, and invalid with a better number") {
  const Folder folder;
  const std::string file = certificate_of(folder, data + "/networks/plant.toml");
  CHECK(check(file) == 0);
  const std::string text = content(file);
  for (const char* key : {"variation", "backlog", "tfa", "sfa"}) {
    CAPTURE(key);
    CHECK(check_text(folder, with_less(text, key)) == 1);
  }
  CHECK(check_text(folder, text.substr(0, text.size() / 2)) == 2);
}

TEST_CASE("a certificate of a ring is a fixed point, and invalid below it") {
  const Folder folder;
  const std::string network = folder / "ring.toml";
  std::ofstream ring(network);
  ring << "switches = \"s[0..3]\"\n[[link]]\neach = \"i = 0..3\"\nfrom = \"s[i]\"\nto = \"s[(i+1)%4]\"\n";
  for (int i = 0; i < 4; ++i)
    ring << "[[flow]]\nfrom = \"s" << i << "\"\nto = \"s" << (i + 3) % 4
         << "\"\nbucket = { rate = 0.25, burst = 1 }\n";
  ring.close();
  const std::string file = certificate_of(folder, network);
  CHECK(check(file) == 0);
  const std::string text = content(file);
  CHECK(text.find("\"cyclic\": [\n  0,") != std::string::npos);
  CHECK(check_text(folder, with_less(text, "variation")) == 1);
}
