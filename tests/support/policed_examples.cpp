#include <fmt/format.h>
#include <tests/support/policed_examples.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::test {

const std::string bytes = "units = { size = \"bytes\", time = \"us\", rate = \"Mbit/s\" }\n";

std::string flow(const std::string& keys) {
  return "[[flow]]\n" + keys + "\n";
}

std::string crossed_line(int hops, int rate, int packets) {
  std::string toml = bytes + "hosts = [\"a\", \"z\"";
  for (int i = 0; i <= hops; ++i) toml += fmt::format(", \"x{0}\", \"y{0}\"", i);
  toml += fmt::format("]\nswitches = \"s[0..{}]\"\n", hops);
  const auto link = [&](const std::string& from, const std::string& to, int speed) {
    toml += fmt::format("[[link]]\nfrom = \"{}\"\nto = \"{}\"\nrate = {}\n", from, to, speed);
  };
  const auto name = [](const char* kind, int i) { return kind + std::to_string(i); };
  for (int i = 0; i < hops; ++i) link(name("s", i), name("s", i + 1), 100);
  link("a", "s0", 1000);
  link(name("s", hops), "z", 1000);
  std::string flows;
  const auto add = [&](const std::string& from, const std::string& to) {
    flows +=
        flow(fmt::format("from = \"{}\"\nto = \"{}\"\npacket = 1250\nbucket = {{ rate = {}, burst = {} }}",
                         from, to, rate, 1250 * packets));
  };
  add("a", "z");
  for (int i = 0; i <= hops; ++i) {
    link(name("x", i), name("s", std::max(i - 1, 0)), 1000);
    link(name("s", std::min(i + 1, hops)), name("y", i), 1000);
    add(name("x", i), name("y", i));
  }
  return toml + flows;
}

std::string ring(int switches, int hops, int rate, int packets) {
  std::string toml =
      bytes + fmt::format("hosts = \"a[0..{0}], b[0..{0}]\"\nswitches = \"s[0..{0}]\"\n", switches - 1);
  toml += fmt::format("[[link]]\neach = \"i = 0..{}\"\nfrom = \"s[i]\"\nto = \"s[(i+1)%{}]\"\nrate = 100\n",
                      switches - 1, switches);
  for (const auto& [from, to] : {std::pair{"a[i]", "s[i]"}, std::pair{"s[i]", "b[i]"}})
    toml += fmt::format("[[link]]\neach = \"i = 0..{}\"\nfrom = \"{}\"\nto = \"{}\"\nrate = 1000\n",
                        switches - 1, from, to);
  for (int i = 0; i < switches; ++i)
    toml +=
        flow(fmt::format("from = \"a{}\"\nto = \"b{}\"\npacket = 1250\nbucket = {{ rate = {}, burst = {} }}",
                         i, (i + hops) % switches, rate, 1250 * packets));
  return toml;
}

std::string avionics(bool with_two) {
  std::string toml =
      "units = { size = \"bits\", time = \"us\", rate = \"Mbit/s\" }\n"
      "hosts = \"e[1..7]\"\nswitches = \"S[1..3]\"\n";
  const auto link = [&](const char* from, const char* to, int latency) {
    toml += fmt::format("[[link]]\nfrom = {}\nto = {}\nrate = 100\nlatency = {}\n", from, to, latency);
  };
  link("[\"e1\", \"e2\"]", "\"S1\"", 0);
  link("[\"e3\", \"e4\", \"e5\"]", "\"S2\"", 0);
  link("[\"S1\", \"S2\"]", "\"S3\"", 16);
  link("\"S3\"", "[\"e6\", \"e7\"]", 16);
  for (const auto& [number, to] : {std::pair{1, 6}, {2, 6}, {3, 6}, {4, 7}, {5, 6}})
    toml +=
        flow(fmt::format("name = \"v{0}\"\nfrom = \"e{0}\"\nto = \"e{1}\"\n"
                         "bucket = {{ rate = 1, burst = 4000 }}\npacket = 4000",
                         number, to));
  if (with_two)
    toml += flow(
        "name = \"v6\"\nfrom = \"e1\"\nto = [\"e6\", \"e7\"]\n"
        "bucket = { rate = 1, burst = 4000 }\npacket = 4000");
  return toml;
}

}  // namespace tailbound::test
