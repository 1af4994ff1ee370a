#include <tailbound/bounds/network/collapsed_network.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace tailbound;

namespace {

network::Network network_of(const std::string& toml) {
  return network::read_network(toml, "test").network;
}

std::size_t link_of(const network::Network& network, const std::string& name) {
  for (std::size_t link = 0; link < network.links.size(); ++link)
    if (network.link_name(link) == name) return link;
  FAIL("no link " + name);
  return 0;
}

const std::string tandem =
    "hosts = ['x', 'y', 'z', 'w']\nswitches = ['s', 't']\n"
    "[[link]]\nfrom = ['x', 'y']\nto = 's'\nboth = true\n[[link]]\nfrom = ['z', 'w']\nto = 't'\nboth = true\n"
    "[[link]]\nfrom = 's'\nto = 't'\nboth = true\n";

}  // namespace

TEST_CASE("Collapsed network: a queue with one input of its own rate never waits") {
  const std::string flows =
      "[[flow]]\nfrom = 'x'\nto = 'z'\nrate = 0.45\n[[flow]]\nfrom = 'y'\nto = 'z'\nrate = 0.45\n";
  const network::Network network = network_of(tandem + flows);
  const bounds::CollapsedNetwork collapsed = bounds::collapsed(network);
  const auto& first = collapsed.queues[link_of(network, "s -> t")];
  const auto& second = collapsed.queues[link_of(network, "t -> z")];
  CHECK(first.waits);
  CHECK_FALSE(second.waits);
  for (const auto& routes : collapsed.flows) {
    REQUIRE(routes.size() == 1);
    CHECK(routes[0].queues == std::vector<std::size_t>{link_of(network, "s -> t")});
    CHECK(routes[0].hops == 2);
  }
}

TEST_CASE("Collapsed network: with a further host it may wait; bursts change nothing") {
  const std::string flows =
      "[[flow]]\nfrom = 'x'\nto = 'z'\nrate = 0.3\nburst = 8\n[[flow]]\nfrom = 'y'\nto = 'z'\nrate = 0.3\n"
      "[[flow]]\nfrom = 'w'\nto = 'z'\nrate = 0.2\n";
  const network::Network network = network_of(tandem + flows);
  const bounds::CollapsedNetwork collapsed = bounds::collapsed(network);
  const auto& second = collapsed.queues[link_of(network, "t -> z")];
  CHECK(second.waits);
  CHECK(second.bursts);
  REQUIRE(second.inputs.size() == 2);
  const auto& by_link = second.inputs[second.inputs[0].straight() ? 1 : 0];
  CHECK(by_link.rate == Approx(0.6));
  CHECK(by_link.behind.size() == 2);
}

TEST_CASE("Collapsed network: two paths of different length from one host are two inputs") {
  const network::Network network = network_of(
      "hosts = ['a', 'b']\nswitches = ['s', 't', 'u']\n"
      "[[link]]\nfrom = 'a'\nto = 's'\n[[link]]\nfrom = 's'\nto = ['t', 'u']\n[[link]]\nfrom = 'u'\nto = "
      "'t'\n"
      "[[link]]\nfrom = 't'\nto = 'b'\n"
      "[[flow]]\nfrom = 'a'\nto = 'b'\nrate = 0.6\n"
      "routes = [{ path = ['a', 's', 't', 'b'], share = '1/2' }, { path = ['a', 's', 'u', 't', 'b'], share = "
      "'1/2' }]\n");
  const bounds::CollapsedNetwork collapsed = bounds::collapsed(network);
  const auto& last = collapsed.queues[link_of(network, "t -> b")];
  CHECK(last.waits);
  REQUIRE(last.inputs.size() == 2);
  CHECK(last.inputs[0].passed != last.inputs[1].passed);
  CHECK(last.inputs[0].exact_rate == numeric::Rational(3) / 10);
}
