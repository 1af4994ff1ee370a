#include <tailbound/network/demands/fabrics.hpp>
#include <tailbound/network/fabric/fabric_listing.hpp>
#include <tailbound/network/files/network_file.hpp>

#include <catch2/catch.hpp>

#include <string>

using namespace tailbound;
using namespace tailbound::network;

namespace {

Fabric fabric_of(const std::string& toml) {
  return read_fabric(toml, "fabric.toml").fabric;
}
bool listable(const Fabric& fabric) {
  return can_be_listed(FabricGraph(fabric));
}

}  // namespace

TEST_CASE("too many routes cannot be listed: counted by hand", "[network]") {
  // 896 pairs on different leaves have a route over each spine, 96 on the same leaf one.
  const auto leaf_spine = [](int spines) {
    return fabric_of(to_toml(LeafSpine{8, spines, 4, 1}, FabricTraffic{Rational(1) / 100}));
  };
  CHECK(listable(leaf_spine(1'115)));  // 999 136
  CHECK_FALSE(listable(leaf_spine(1'116)));
  const Fabric shortest =
      fabric_of(to_toml(LeafSpine{8, 1'116, 4, 1}, FabricTraffic{Rational(1) / 100, RouteRule::shortest}));
  CHECK(listable(shortest));
  CHECK(sending_pairs(shortest) == 32 * 32);

  // 8 192 hosts with one destination each, most of them over 256 routes.
  const auto permutation = [](int radix) {
    return fabric_of(to_toml(FatTree{radix, 3}, std::nullopt) +
                     "[traffic]\npermutation = \"random\"\nrate = 0.1\nroute = \"spread\"\n");
  };
  CHECK(listable(permutation(16)));
  CHECK_FALSE(listable(permutation(32)));
}

TEST_CASE("too long routes cannot be listed: counted by hand", "[network]") {
  // Around a ring of 1 000 switches, each sends to the one before it, in each class of traffic.
  const auto ring = [](int classes) {
    std::string text =
        "switches = \"s[0..999]\"\nlink = [{each = \"i = 0..999\", from = \"s[i]\", to = "
        "\"s[(i+1)%1000]\"}]\n";
    for (int i = 0; i < classes; ++i)
      text += "[[traffic]]\nname = \"c" + std::to_string(i) +
              "\"\npermutation = \"shift\"\nfrom = \"s[0..999]\"\nrate = 0.00001\nshift = 999\n";
    return fabric_of(text);
  };
  CHECK(listable(ring(20)));  // 19 980 000 links
  CHECK_FALSE(listable(ring(21)));
}
