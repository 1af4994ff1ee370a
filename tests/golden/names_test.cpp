#include <catch2/catch.hpp>
#include <tailbound/render/drawing/typeset.hpp>
#include <tests/golden/folder.hpp>
#include <tests/golden/run_command.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

// Names of nodes, links, flows, classes and files are shown as they are written, however odd: what is
// copied from a page is found by --flow.

namespace {

using namespace tailbound::golden;
using tailbound::render::html_escaped;
using tailbound::render::typeset_html;

const std::vector<std::string> odd{"a->b", "-1", "x<=y", "1e-9", "a--b", "8 x 8", "q`r`s", "+-5", "1.5e+06"};

std::string replaced(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
  for (const auto& [word, name] : words)
    for (std::size_t at = 0; (at = text.find('"' + word + '"', at)) != std::string::npos;
         at += name.size() + 2)
      text.replace(at, word.size() + 2, '"' + name + '"');
  return text;
}

/// Text between tags, its entities left as they are.
std::string without_tags(const std::string& page) {
  std::string text;
  bool in_tag = false;
  for (const char c : page) {
    if (c == '<') in_tag = true;
    if (!in_tag) text += c;
    if (c == '>' && in_tag) in_tag = false;
  }
  return text;
}

/// Is each name there as written, and nowhere typeset?
void check_names(const std::string& page, const std::vector<std::string>& names) {
  const std::string text = without_tags(page);
  for (const std::string& name : names) {
    INFO(name);
    CHECK(holds(text, html_escaped(name)));
    // "-1" alone begins some exponents.
    if (name != "-1" && typeset_html(name) != html_escaped(name)) CHECK(!holds(page, typeset_html(name)));
  }
}

}  // namespace

TEST_CASE("names: nodes and flows of a network are as written in pages and pictures") {
  const Folder folder;
  const std::vector<std::string> words{"camera", "archive", "left", "desk", "printer", "right"};
  for (std::size_t first = 0; first < odd.size(); first += 3) {
    std::vector<std::pair<std::string, std::string>> names;
    std::vector<std::string> nodes;
    for (std::size_t i = 0; i < words.size(); ++i) {
      nodes.push_back(odd[(first + i) % odd.size()]);
      names.emplace_back(words[i], nodes.back());
    }
    const std::string file = folder.file("n.toml", replaced(content(networks + "two_switches.toml"), names));
    const std::vector<std::string> flows{nodes[0] + " -> " + nodes[1], nodes[0] + " -> " + nodes[3],
                                         nodes[3] + " -> " + nodes[4]};
    std::map<std::string, std::string> also{{"html", ""}, {"csv", ""}, {"json", ""}};
    const std::string plot = folder / "p.svg";
    const Outcome table =
        run_command({"delay", "--network", file, "--analysis", "--ccdf", "1,2", "--plot", plot}, &also);
    INFO(table.err);
    REQUIRE(table.status == 0);
    check_names(also["html"], flows);
    check_names(also["html"], nodes);  // in the picture of the network
    check_names(content(plot), flows);
    for (const std::string& flow : flows) {
      CHECK(holds(table.out, flow));
      const Outcome alone =
          run_command({"delay", "--network", file, "--analysis", "--flow", flow, "--format", "html"});
      INFO(flow << alone.err);
      CHECK(alone.status == 0);
      check_names(alone.out, {flow});
    }
  }
}

TEST_CASE("names: policed flows and ports") {
  const Folder folder;
  const std::string file = folder.file(
      "n.toml",
      replaced(content(networks + "plant.toml"), {{"axis0", "1e-9"}, {"axis1", "-1"}, {"axis2", "x<=y"}}));
  for (const std::string command : {"guarantee", "simulate policed"})
    check_names(run_line(command + " --format html --network " + file +
                         (command == "guarantee" ? "" : " --packets 2000"))
                    .out,
                {"1e-9", "-1", "x<=y", "s0 -> s1"});
}

TEST_CASE("names: channels of wormhole networks, files and imported nodes") {
  const Folder folder;
  const std::string ring =
      folder.file("n.toml", replaced(content(networks + "worm_ring.toml"),
                                     {{"A", "1e-9"}, {"B", "x<=y"}, {"ring of four", "8 x 8"}}));
  check_names(run_line("wormhole --flits 4 --fractions 0.4 --channels 8 --format html --network " + ring).out,
              {"1e-9 -> x<=y", "8 x 8"});
  const std::string list = folder.file("x<=y 1e-9.txt", "0.5\n0.25\n0.25\n");
  check_names(run_command({"buffer", "--pmf", list, "--drop", "1e-5", "--format", "html"}).out,
              {"x<=y 1e-9.txt"});
  const std::string dot = folder.file("n.dot", "graph g { \"1e-9\" -- \"x<=y\"; \"x<=y\" -- \"a->b\"; }\n");
  const std::string plot = folder / "p.svg";
  REQUIRE(run_command({"network", "import", dot, "--plot", plot}).status == 0);
  check_names(content(plot), {"1e-9", "x<=y", "a->b"});
}
