#include <tailbound/core/choice.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/mix/message_classes.hpp>
#include <tailbound/network/mix/virtual_networks.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace tailbound::network {
namespace {

using numeric::Rational;

constexpr const char* class_argument = "class";

[[noreturn]] void reject_class(const std::string& given, const std::string& legal) {
  throw InvalidArgument(class_argument, given, legal);
}

std::vector<std::uint32_t> node_numbers(std::string_view text) {
  std::vector<std::uint32_t> all;
  std::set<std::int64_t> seen;
  for (const std::int64_t node : numeric::parse_integers(text, class_argument, 0, max_fat_tree_nodes - 1)) {
    if (!seen.insert(node).second) reject_class(std::string(text), "node numbers, each once");
    all.push_back(static_cast<std::uint32_t>(node));
  }
  return all;
}

WormPatternName class_pattern(std::string_view text) {
  const auto names = all_names<WormPatternName>();
  const auto found = std::find(names.begin(), names.end(), text);
  const auto name = static_cast<WormPatternName>(found - names.begin());
  if (found == names.end() || name == WormPatternName::hot_spot)
    reject_class(
        "pattern=" + std::string(text),
        "a pattern such as pattern=transpose; to=NODES sends to hot nodes" + did_you_mean(text, names));
  return name;
}

/// Reads the value of a key.
using ReadKey = std::function<void(PatternedClass&, std::string_view)>;

const std::map<std::string, ReadKey, std::less<>>& class_keys() {
  static const std::map<std::string, ReadKey, std::less<>> keys{
      {"flits", [](auto& of, auto text) { of.flits = MessageLengths::parse(text); }},
      {"virtual-channels",
       [](auto& of, auto text) {
         of.virtual_channels =
             static_cast<int>(numeric::parse_integer(text, class_argument, 1, max_virtual_channels));
       }},
      {"share",
       [](auto& of, auto text) {
         of.share = numeric::parse_share(text, class_argument);
         of.percent = text.ends_with('%');
         if (*of.share <= 0) reject_class("share=" + std::string(text), "a share above 0");
       }},
      {"pattern", [](auto& of, auto text) { of.pattern = class_pattern(text); }},
      {"to", [](auto& of, auto text) { of.to = node_numbers(text); }},
      {"from", [](auto& of, auto text) { of.from = node_numbers(text); }},
      {"answers", [](auto& of, auto text) { of.answers = text; }},
      {"network", [](auto& of, auto text) { of.network = text; }}};
  return keys;
}

std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for (const auto& [name, read] : class_keys()) names.push_back(name);
  return names;
}

std::string joined_numbers(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return text;
}

/// A class has one description of its traffic, and an answer none.
void check_traffic(const PatternedClass& its) {
  const bool patterned = its.pattern != WormPatternName::uniform;
  if ((patterned ? 1 : 0) + (its.to.empty() ? 0 : 1) + (its.from.empty() ? 0 : 1) > 1)
    reject_class(its.name, "of one kind of traffic: pattern, to or from");
  if (its.answers.empty()) return;
  if (its.share) reject_class(its.name, "without share: there are as many answers as " + its.answers);
  if (patterned || !its.to.empty() || !its.from.empty())
    reject_class(its.name, "without pattern, to and from: answers go back to the senders of " + its.answers);
}

}  // namespace

PatternedClass parse_message_class(std::string_view text) {
  PatternedClass its;
  std::set<std::string, std::less<>> seen;
  bool named = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \t", begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!std::exchange(named, true)) {
      if (!is_class_name(word))
        reject_class(std::string(word), "a name first, then keys: 'request flits=1 virtual-channels=2'");
      its.name = word;
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string key(word.substr(0, equals));
    const auto read = class_keys().find(key);
    if (read == class_keys().end() || equals == std::string_view::npos)
      reject_class(std::string(word),
                   "KEY=VALUE, with the keys flits, virtual-channels, share, pattern, to, from, answers and "
                   "network" +
                       did_you_mean(key, key_names()));
    if (!seen.insert(key).second) reject_class(std::string(word), "given once");
    try {
      read->second(its, word.substr(equals + 1));
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(class_argument, std::string(word), error.legal());
    }
  }
  if (!named) reject_class(std::string(text), "a name and its keys: 'request flits=1 virtual-channels=2'");
  if (!seen.contains("flits"))
    reject_class(its.name, "given with the length of its messages, such as '" + its.name + " flits=5'");
  check_traffic(its);
  return its;
}

std::string text_of(const PatternedClass& its) {
  std::string text = its.name + " flits=" + its.flits.text();
  if (its.virtual_channels) text += " virtual-channels=" + std::to_string(*its.virtual_channels);
  if (its.share) text += " share=" + share_text(its);
  if (its.pattern != WormPatternName::uniform) text += std::string(" pattern=") + name_of(its.pattern);
  if (!its.to.empty()) text += " to=" + joined_numbers(its.to);
  if (!its.from.empty()) text += " from=" + joined_numbers(its.from);
  if (!its.answers.empty()) text += " answers=" + its.answers;
  if (!its.network.empty()) text += " network=" + its.network;
  return text;
}

namespace {

/// With rates that sum to the number of nodes that send.
WormTraffic scaled(WormTraffic traffic) {
  if (traffic.flows.empty()) return traffic;
  double sum = 0;
  for (const WormFlow& flow : traffic.flows) sum += flow.rate;
  const auto senders = static_cast<double>(sender_count(traffic, 0));
  for (WormFlow& flow : traffic.flows) flow.rate *= senders / sum;
  return traffic;
}

/// Each other node to each of `to`, or each of `from` to each other node, with equal rates.
WormTraffic hot_traffic(const std::vector<std::uint32_t>& hot, bool to, std::int64_t nodes,
                        const std::string& name) {
  for (const std::uint32_t node : hot)
    if (node >= nodes)
      reject_class(name + ": node " + std::to_string(node), "from 0 to " + std::to_string(nodes - 1));
  WormTraffic traffic;
  for (std::uint32_t other = 0; other < nodes; ++other)
    for (const std::uint32_t node : hot)
      if (node != other) traffic.flows.push_back(to ? WormFlow{other, node, 1} : WormFlow{node, other, 1});
  return scaled(std::move(traffic));
}

WormTraffic class_traffic(const WormTopology& topology, const PatternedClass& its) {
  if (!its.to.empty()) return hot_traffic(its.to, true, topology.nodes, its.name);
  if (!its.from.empty()) return hot_traffic(its.from, false, topology.nodes, its.name);
  if (its.pattern == WormPatternName::uniform) return {};
  return pattern_traffic(grid_of(topology), {.name = its.pattern});
}

/// With exchanged ends.
WormTraffic exchanged(WormTraffic traffic) {
  for (WormFlow& flow : traffic.flows) std::swap(flow.source, flow.destination);
  return scaled(std::move(traffic));
}

/// Index of the class that each one answers; none: it sends by itself.
std::vector<std::optional<std::size_t>> answered_classes(const std::vector<MessageClass>& classes) {
  std::vector<std::string> names;
  for (const MessageClass& its : classes) {
    if (std::find(names.begin(), names.end(), its.name) != names.end()) reject_class(its.name, "given once");
    names.push_back(its.name);
  }
  std::vector<std::optional<std::size_t>> all(classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const std::string& of = classes[k].answers;
    if (of.empty()) continue;
    const auto found = std::find(names.begin(), names.end(), of);
    if (found == names.end())
      reject_class(classes[k].name + " answers=" + of, "the name of another class" + did_you_mean(of, names));
    all[k] = static_cast<std::size_t>(found - names.begin());
  }
  return all;
}

}  // namespace

std::vector<Origin> origins_of(const std::vector<MessageClass>& classes) {
  const auto answered = answered_classes(classes);
  std::vector<Origin> all;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Origin& its = all.emplace_back(Origin{k, 0});
    for (; answered[its.message_class]; its.message_class = *answered[its.message_class])
      if (++its.exchanges > classes.size())
        reject_class(classes[k].name + " answers=" + classes[k].answers,
                     "an answer to a class that is sent by itself; these answer each other in a circle");
  }
  return all;
}

namespace {

/// Weights of the classes, those of answers included; the sum is 1.
std::vector<Rational> shares_of(const std::vector<MessageClass>& classes,
                                const std::vector<Origin>& origins) {
  const auto given = std::count_if(classes.begin(), classes.end(),
                                   [](const MessageClass& its) { return its.share.has_value(); });
  const auto percentages =
      std::count_if(classes.begin(), classes.end(), [](const MessageClass& its) { return its.percent; });
  const auto needed =
      std::count_if(origins.begin(), origins.end(), [](const Origin& its) { return its.exchanges == 0; });
  if (given > 0 && given < needed) reject_class("share", "given for all classes or for none");
  if (percentages > 0 && percentages < given) reject_class("share", "in percent for all classes or for none");
  std::vector<Rational> shares;
  Rational sum = 0;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    shares.push_back(classes[origins[k].message_class].share.value_or(1));
    sum = sum + shares.back();
  }
  if (percentages > 0 && sum != 1)
    reject_class("shares of " + numeric::plain(sum * 100) + " %",
                 "100 % of all messages together, answers included (a class and its answers have equal "
                 "shares); or weights without %");
  for (Rational& share : shares) share = share / sum;
  return shares;
}

}  // namespace

MessageMix message_mix(const std::vector<MessageClass>& classes, const TrafficOfClass& traffic) {
  MessageMix mix;
  const auto answered = answered_classes(classes);
  const std::vector<Origin> origins = origins_of(classes);
  const std::vector<Rational> shares = shares_of(classes, origins);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const MessageClass& its = classes[k];
    const std::string& name = its.network.empty() ? its.name : its.network;
    const auto found = std::find(mix.virtual_networks.begin(), mix.virtual_networks.end(), name);
    const auto at = static_cast<std::size_t>(found - mix.virtual_networks.begin());
    if (found == mix.virtual_networks.end()) {
      mix.virtual_networks.push_back(name);
      mix.virtual_channels.emplace_back();
    }
    std::optional<int>& channels = mix.virtual_channels[at];
    if (its.virtual_channels && channels && *channels != *its.virtual_channels)
      reject_class(its.name + " virtual-channels=" + std::to_string(*its.virtual_channels),
                   std::to_string(*channels) + ", as its virtual network " + name + " has");
    if (its.virtual_channels) channels = its.virtual_channels;
    WormTraffic own = answered[k] ? WormTraffic{} : traffic(k);
    mix.kinds.push_back({.name = its.name,
                         .share = shares[k],
                         .lengths = its.flits,
                         .virtual_network = static_cast<std::uint32_t>(at),
                         .traffic = std::move(own),
                         .answers = answered[k]});
  }
  // Answers to answers have the ends of the first message.
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto [origin, exchanges] = origins[k];
    if (exchanges == 0) continue;
    mix.kinds[k].traffic = mix.kinds[origin].traffic;
    if (exchanges % 2 == 1) mix.kinds[k].traffic = exchanged(std::move(mix.kinds[k].traffic));
  }
  return mix;
}

MessageMix message_mix(const WormTopology& topology, const WormMessages& messages) {
  if (messages.classes.empty())
    return {.kinds = {{.lengths = messages.flits, .traffic = traffic_of(topology)}},
            .virtual_channels = {std::nullopt},
            .virtual_networks = {""}};
  if (!topology.pattern.uniform()) {
    const std::string name = name_of(topology.pattern.name);
    throw InvalidArgument("pattern", name, "given for each class: 'NAME pattern=" + name + "'");
  }
  const std::vector<MessageClass> classes(messages.classes.begin(), messages.classes.end());
  return message_mix(classes, [&](std::size_t k) { return class_traffic(topology, messages.classes[k]); });
}

std::shared_ptr<const WormNetwork> network_of(
    const MessageMix& mix, int usual,
    const std::function<std::shared_ptr<const WormNetwork>(int virtual_channels)>& network) {
  int sum = 0;
  for (const std::optional<int>& channels : mix.virtual_channels) sum += channels.value_or(usual);
  if (mix.virtual_channels.size() == 1) return network(sum);
  if (sum > max_virtual_channels)
    reject_class(std::to_string(sum) + " virtual channels of a link, all classes together",
                 "at most " + std::to_string(max_virtual_channels));
  std::vector<std::shared_ptr<const WormNetwork>> all;
  for (const std::optional<int>& channels : mix.virtual_channels)
    all.push_back(network(channels.value_or(usual)));
  return std::make_shared<const VirtualNetworks>(std::move(all), mix.virtual_networks);
}

}  // namespace tailbound::network
