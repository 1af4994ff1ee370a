#include <tailbound/core/error.hpp>
#include <tailbound/network/mix/message_classes.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>

#include <catch2/catch.hpp>
#include <map>

namespace tailbound::network {
namespace {

using numeric::Rational;

const WormTopology mesh_of_16{.shape = WormShape::mesh, .nodes = 16};

MessageMix mix_of_classes(const std::vector<std::string>& texts) {
  WormMessages messages;
  for (const std::string& text : texts) messages.classes.push_back(parse_message_class(text));
  return message_mix(mesh_of_16, messages);
}

std::map<std::pair<std::uint32_t, std::uint32_t>, double> rates_of(const MessageKind& kind) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> rates;
  for (const WormFlow& flow : kind.traffic.flows) rates[{flow.source, flow.destination}] = flow.rate;
  return rates;
}

TEST_CASE("message classes: as typed") {
  const std::string text = "reply flits=1:60%,5:40% virtual-channels=2 share=30% network=data";
  const PatternedClass its = parse_message_class(text);
  CHECK(its.name == "reply");
  CHECK(its.flits.mean() == Rational(13) / 5);
  CHECK(its.virtual_channels == 2);
  CHECK(its.share == Rational(3) / 10);
  CHECK(its.percent);
  CHECK(text_of(its) == text);
  for (const char* other : {"a flits=5 pattern=transpose", "b flits=1 to=0,3", "c flits=1/1 from=2",
                            "d flits=4 answers=a", "e flits=1-4:1 share=2"})
    CHECK(parse_message_class(text_of(parse_message_class(other))) == parse_message_class(other));
}

TEST_CASE("message classes: rejected texts") {
  for (const char* text : {"", "5 flits=1", "a", "a flits", "a flits=0", "a flits=1 flits=2", "a flit=1",
                           "a flits=1 share=0", "a flits=1 pattern=hot-spot", "a flits=1 to=0 from=1",
                           "a flits=1 to=0,0", "a flits=1 answers=b share=1", "a flits=1 answers=b to=1",
                           "a flits=1 virtual-channels=65", "a flits=1:50%,2:40%"}) {
    INFO(text);
    CHECK_THROWS_AS(parse_message_class(text), InvalidArgument);
  }
  CHECK_THROWS_WITH(parse_message_class("a flits=1 virtual-chanels=2"),
                    Catch::Contains("did you mean virtual-channels"));
}

TEST_CASE("message mix: shares, virtual networks and answers") {
  const MessageMix mix =
      mix_of_classes({"request flits=1 share=2 to=0,3 virtual-channels=2", "reply flits=5 answers=request",
                      "other flits=9 share=1", "ack flits=1 answers=reply network=request"});
  REQUIRE(mix.kinds.size() == 4);
  CHECK(mix.kinds[0].share == Rational(2) / 7);
  CHECK(mix.kinds[1].share == mix.kinds[0].share);
  CHECK(mix.kinds[2].share == Rational(1) / 7);
  CHECK(mix.kinds[3].share == mix.kinds[0].share);
  CHECK(mix.virtual_networks == std::vector<std::string>{"request", "reply", "other"});
  CHECK(mix.virtual_channels == std::vector<std::optional<int>>{2, std::nullopt, std::nullopt});
  CHECK(mix.kinds[3].virtual_network == 0);
  CHECK(mix.kinds[1].answers == 0U);
  CHECK(mean_flits(mix.kinds) == Rational(2 + 10 + 9 + 2) / 7);
  // 15 nodes send to each of two; these answer, two of them, at the same total rate.
  const auto requests = rates_of(mix.kinds[0]), replies = rates_of(mix.kinds[1]);
  CHECK(requests.size() == 30);
  CHECK(requests.at({3, 0}) == Approx(16.0 / 30));
  CHECK(replies.at({0, 3}) == Approx(2.0 / 30));
  CHECK(rates_of(mix.kinds[3]) == requests);
  CHECK(rate_scale(mix.kinds, 0, 16) * 16 == Approx(rate_scale(mix.kinds, 1, 16) * 2));
  const auto network = network_of(mix, 3, [](int channels) {
    return std::shared_ptr<const WormNetwork>(worm_network(mesh_of_16, channels));
  });
  const auto& all = dynamic_cast<const VirtualNetworks&>(*network);
  CHECK(all.count() == 3);
  CHECK(all.channel_name(0).find("request") != std::string::npos);
  CHECK(all.network(0).layout().channels.size() < all.network(1).layout().channels.size());
}

TEST_CASE("message mix: one class is the messages without classes") {
  const MessageMix one = mix_of_classes({"all flits=5"});
  const MessageMix without = message_mix(mesh_of_16, {.flits = 5});
  REQUIRE(one.kinds.size() == 1);
  CHECK(one.kinds[0].lengths == without.kinds[0].lengths);
  CHECK(one.kinds[0].share == 1);
  CHECK(one.kinds[0].traffic.flows.empty());
}

TEST_CASE("message mix: rejected classes") {
  for (const std::vector<std::string>& texts : std::vector<std::vector<std::string>>{
           {"a flits=1", "a flits=2"},
           {"a flits=1 answers=b"},
           {"a flits=1 answers=b", "b flits=1 answers=a"},
           {"a flits=1 share=1", "b flits=1"},
           {"a flits=1 share=1", "b flits=1 share=50%"},
           {"a flits=1 share=60%", "b flits=1 share=30%"},
           {"a flits=1 share=60%", "b flits=1 answers=a"},
           {"a flits=1 network=x virtual-channels=2", "b flits=1 network=x virtual-channels=3"},
           {"a flits=1 to=16"}}) {
    INFO(texts.front() << "; " << texts.back());
    CHECK_THROWS_AS(mix_of_classes(texts), InvalidArgument);
  }
  WormMessages both{.flits = 1, .classes = {parse_message_class("a flits=1")}};
  WormTopology patterned = mesh_of_16;
  patterned.pattern.name = WormPatternName::transpose;
  CHECK_THROWS_AS(message_mix(patterned, both), InvalidArgument);
  const MessageMix many = mix_of_classes({"a flits=1 virtual-channels=40", "b flits=1 virtual-channels=40"});
  CHECK_THROWS_AS(network_of(many, 1,
                             [](int channels) {
                               return std::shared_ptr<const WormNetwork>(worm_network(mesh_of_16, channels));
                             }),
                  InvalidArgument);
}

}  // namespace
}  // namespace tailbound::network
