#include <fmt/format.h>
#include <cli/commands.hpp>
#include <cli/help/hints.hpp>
#include <cli/program.hpp>
#include <cli/usage.hpp>
#include <tailbound/core/choice.hpp>
#include <tailbound/core/suggest.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

namespace tailbound::cli {
namespace {

// --- data

/// Words that are no commands, and where to find what they name.
struct CommandHint {
  std::string_view words;  ///< separated by spaces
  std::string_view hint;
};
constexpr std::string_view files_of_networks =
    "`tailbound network SHAPE` writes such a network to a file; then: tailbound delay --network FILE";
constexpr CommandHint command_hints[] = {
    {"priority priorities qos class classes strict 802.1q 802.1p dscp",
     "priority classes: tailbound buffer (occupancy, delay) --classes R1,R2,.., or tailbound simulate "
     "classes"},
    {"wrr drr dwrr wfq weighted round-robin scheduler schedule",
     "weighted and deficit round robin: tailbound simulate classes --schedule wrr (or drr)"},
    {"voq islip pim input-queued iq cioq matching arbiter head-of-line hol maxweight birkhoff",
     "input-queued switches: tailbound crossbar --scheduler islip (or pim, fifo, ...)"},
    {"switch router shared memory shared-memory asic chip mmu alpha threshold",
     "a shared-memory switch: tailbound buffer --shared (--capacity 12MB --solve load), or tailbound "
     "simulate "
     "switch"},
    {"ecmp hash hashing multipath",
     "per-flow ECMP: tailbound network SHAPE --route ecmp; then: tailbound delay --network FILE"},
    {"mtu jumbo imix frame frames cell cells",
     "packets of several sizes: tailbound buffer --sizes imix --cell-bytes 64; of one size: --packet-bytes"},
    {"p99 p999 quantile quantiles", "percentiles of delays: tailbound delay --percentiles 99,99.9"},
    {"oversubscription oversubscribed uplink uplinks",
     "a fabric with fewer uplinks: tailbound network leaf-spine --hosts 16 --spines 4"},
    {"tcp dctcp udp rdma roce dcqcn quic congestion ecn red wred",
     "transport protocols and congestion control are not modelled: sources do not react to the network; "
     "buffers of given traffic: tailbound buffer, delays: tailbound delay"},
    {"pfc pause headroom lossless xoff xon",
     "headroom of a lossless link: tailbound guarantee --headroom; networks of such links: tailbound "
     "simulate "
     "tree --network FILE --buffer B --flow-control pause"},
    {"credit credits back-pressure backpressure hol head-of-line deadlock",
     "links with credits: tailbound simulate tree --network FILE --buffer B --flow-control credit"},
    {"dragonfly jellyfish slimfly hyperx leaf-spine fat-tree fattree fat clos topology topologies datacenter",
     files_of_networks},
    {"mesh",
     "wormhole mesh: tailbound wormhole --topology mesh; a mesh with any traffic: tailbound network mesh"},
    {"torus",
     "wormhole torus: tailbound wormhole --topology torus; a torus for delays: tailbound network torus"},
    {"hypercube cube ncube",
     "wormhole hypercube: tailbound wormhole --topology hypercube, or tailbound broadcast"},
    {"noc booksim flit flits butterfly interconnect", "wormhole networks: tailbound wormhole"},
    {"tree trees",
     "trees of switches: tailbound delay --radix K --levels N --load R, or tailbound simulate tree"},
    {"queue queues md1 mg1 fifo size sizing", "one output queue: tailbound buffer or tailbound occupancy"},
    {"tail distribution backlog", "distribution of one queue: tailbound occupancy"},
    {"loss drop drops overflow", "loss and overflow probability: tailbound buffer --capacity B"},
    {"latency latencies percentile percentiles hop hops", "delay percentiles: tailbound delay"},
    {"saturation throughput bandwidth",
     "saturation load of wormhole networks: tailbound wormhole; of other networks: tailbound delay "
     "--network FILE --solve load-scale"},
    {"incast", "synchronized senders: tailbound buffer --incast N,L (one event), or --incast N,L,RATE"},
    {"burst bursts bursty onoff on-off microburst microbursts", "on-off sources: tailbound buffer --burst L"},
    {"trace pcap", "traffic model of a trace: tailbound fit TRACE"},
    {"policing policer token-bucket bucket tsn avb network-calculus dnc worst-case",
     "worst case of policed traffic: tailbound guarantee, or tailbound buffer --police R,B"},
    {"hotspot hot-spot hot",
     "hot spots: tailbound multistage --hot H, or tailbound wormhole --pattern hot-spot"},
    {"multicast", "broadcasts: tailbound broadcast; other multicasts are not modelled"},
    {"reorder reordering resequencing", "reorder buffers: tailbound delay --reorder EPS"},
    {"rare", "rare events: tailbound simulate tree --rare X, or tailbound simulate switch --rare X"},
    {"sim", "simulations: tailbound simulate tree (switch, wormhole, ...)"},
    {"plot graph figure draw", "pictures: add --plot FILE.svg to a command"},
    {"figures papers", "the papers' figures: tailbound reproduce NAME"},
    {"gui web ui browser workbench server", "the workbench in a browser: tailbound serve"},
    {"version", "the version: tailbound --version"}};

/// The same behind `simulate` and `validate`.
struct SubcommandHint {
  std::string_view before, words, hint;
};
constexpr SubcommandHint subcommand_hints[] = {
    {"simulate", "occupancy queue", "one output queue: tailbound simulate buffer"},
    {"simulate", "delay network fabric", "delays of trees and networks: tailbound simulate tree"},
    {"simulate", "broadcast", "broadcasts in hypercubes: tailbound simulate hypercube"},
    {"simulate", "mesh torus noc", "meshes and tori: tailbound simulate wormhole --topology mesh"},
    {"simulate", "guarantee", "policed flows: tailbound simulate policed"},
    {"simulate", "priority", "priority classes: tailbound simulate classes"},
    {"validate", "tree network fabric", "trees and networks: tailbound validate delay"},
    {"validate", "occupancy queue classes", "one output queue: tailbound validate buffer"},
    {"validate", "hypercube", "broadcasts in hypercubes: tailbound validate broadcast"},
    {"validate", "mesh torus noc", "meshes and tori: tailbound validate wormhole --topology mesh"},
    {"validate", "policed guarantee", "policed flows: tailbound simulate policed"}};

/// Options that a command does not have because of what it models.
constexpr std::string_view words_for_buffers = "--buffer --buffer-size --buffers --queue-size --queue-limit";
constexpr SubcommandHint unmodelled_options[] = {
    {"delay", words_for_buffers,
     "delay has unlimited buffers (--drop EPS finds their minimum size); tailbound simulate tree --buffer B "
     "has finite ones"},
    {"validate delay", words_for_buffers,
     "validate delay has unlimited buffers; tailbound simulate tree --buffer B has finite ones"}};

/// Unknown options, the options that were probably meant, and a remark. The first of them that the command
/// has is suggested.
struct OptionHint {
  std::string_view words, meant, remark = {};
};
constexpr OptionHint option_hints[] = {
    {"--priority --priorities --prio --class --priority-classes --qos", "--classes"},
    {"--trace --pcap", "--traffic-file",
     "a trace becomes such a file by `tailbound fit TRACE --save-traffic FILE`"},
    {"--loss --loss-rate --target --epsilon --eps --probability --drop-rate --ber --overflow", "--drop"},
    {"--ports --sources --hosts --senders --n", "--inputs --radix --nodes"},
    {"--inputs", "--radix --nodes --dimensions"},
    {"--nodes", "--dimensions", "2^N nodes: --dimensions 4 has 16"},
    {"--radix", "--inputs --switch"},
    {"--stages --levels", "--nodes", "a power of --switch: 64 for 6 stages of 2 x 2 switches"},
    {"--stages", "--levels"},
    {"--unit --units", "--packet-bytes", "it shows bytes, and with --link-gbps G nanoseconds"},
    {"--unit --units", "--time-unit"},
    {"--utilization --utilisation --rho --rate --offered-load --arrival-rate --lambda",
     "--load --loads --rates --uniform"},
    {"--load", "--loads --rates --uniform"},
    {"--loads", "--load --rates --uniform"},
    {"--speedup --service-rate --servers", "--packets-per-slot", "--solve speedup finds the minimum"},
    {"--buffer-size --queue-size --queue --size --depth --buffer --queue-limit --b",
     "--capacity --buffer --memory"},
    {"--memory --shared-memory", "--shared --memory --capacity"},
    {"--vcs --vc --num-vcs --channels-per-link", "--virtual-channels"},
    {"--length --packet-length --message-length --packet-flits", "--flits"},
    {"--dims --dim --k", "--dimensions --radix"},
    {"--size --side --sides --width --height --shape --k", "--nodes", "64, or 8x8 for a grid of 8 by 8"},
    {"--percentile --quantile --quantiles --p99", "--percentiles"},
    {"--warm-up --warmup-slots", "--warmup"},
    {"--time --duration --iterations --cycles --slots --steps", "--slots --cycles --packets"},
    {"--runs --repetitions --reps", "--replications"},
    {"--cores --parallel --processes --workers", "--threads --jobs"},
    {"--random-seed --rng", "--seed"},
    {"--mtu --packet-size --frame-size", "--packet-bytes --sizes --flits"},
    {"--bandwidth --speed --gbps --link-speed --link-rate", "--link-gbps"},
    {"--burst-length --burstiness --burst-size --mean-burst", "--burst"},
    {"--token-bucket --policer --shaper --leaky-bucket", "--police --bucket"},
    {"--topology", "--network", "`tailbound network SHAPE` writes such a file"},
    {"--network-file --file --net --config", "--network"},
    {"--hot-spot --hotspot", "--hot --hot-share"},
    {"--scheduler --scheduling --arbitration", "--schedule"},
    {"--routing-algorithm --routing", "--route --routing"},
    {"--graph --figure --picture --svg --png --chart", "--plot"},
    {"--json --csv --html --markdown", "--format"},
    {"--timeout --limit --max-time", "--time-limit"},
    {"--precision --accuracy --bits", "--digits --half-width --precision"},
    {"--ccdf --tail --cdf --distribution", "--levels --ccdf --occupancy"},
    {"--silent --brief --short --terse", "--quiet"},
    {"--credits --credit-delay", "--credit-cycles --round-trip"},
    {"--pfc --pause --backpressure --back-pressure --lossless", "--flow-control"},
    {"--state --save-state --snapshot", "--checkpoint"},
    {"--restore --continue --from-checkpoint", "--resume"}};

/// Values that an option does not take, and what was meant.
struct ValueHint {
  std::string_view option, values, hint;
};
constexpr ValueHint value_hints[] = {
    {"--traffic", "bursty burst on-off mmpp markov ipp", "onoff with --burst L"},
    {"--traffic", "random uniform iid independent", "bernoulli"},
    {"--traffic", "trace pcap", "--traffic-file FILE, written by `tailbound fit`"},
    {"--format", "text txt plain", "table"},
    {"--format", "md", "markdown"},
    {"--format", "excel xlsx tsv", "csv"},
    {"--format", "svg png pdf", "--plot FILE"},
    {"--schedule", "priority sp", "strict"},
    {"--schedule", "wfq fq rr round-robin", "wrr or drr"},
    {"--route", "spray spraying all random", "spread"},
    {"--route", "hash hashed flow per-flow", "ecmp"},
    {"--route", "single first", "shortest"},
    {"--routing", "ecmp random", "random-root"},
    {"--criterion", "drop drops", "loss"},
    {"--criterion", "tail", "overflow"},
    {"--topology", "fattree", "butterfly-fat-tree"},
    {"--topology", "dragonfly hyperx slimfly jellyfish",
     "--network FILE, written by `tailbound network SHAPE`"},
    {"SHAPE", "grid", "mesh or torus"},
    {"SHAPE", "clos folded-clos", "fat-tree or leaf-spine"},
    {"SHAPE", "hypercube", "`tailbound wormhole --topology hypercube`"},
    {"--solve", "inputs capacity buffer", "a list of inputs, or --drop EPS alone for the buffer"}};

// --- reading them

bool is_among(std::string_view word, std::string_view words) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    if (words.substr(begin, end - begin) == word) return true;
    begin = end + 1;
  }
  return false;
}

/// The names of the options of each command, common ones included.
std::vector<std::pair<std::string, OptionTable>> all_options(CommonOptions& common) {
  std::vector<std::pair<std::string, OptionTable>> all;
  for (const Category& category : categories())
    for (Command (*const make)() : category.commands) {
      Command command = make();
      add_common_options(command, common);
      all.emplace_back(command.name, std::move(command.options));
    }
  return all;
}

/// "buffer, delay, simulate tree, validate delay, ..."
std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t maximum = 4;
  if (names.size() <= maximum) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{}, ...", fmt::join(names.begin(), names.begin() + maximum, ", "));
}

/// "--classes R1,R2,.."
std::string with_type(const Option& option) {
  return option.name + (option.type.empty() ? "" : " " + option.type);
}

// --- values

std::optional<numeric::Rational> number(const std::string& text) {
  try {
    return numeric::parse_rational(text, "value");
  } catch (const InvalidArgument&) {
    return {};
  }
}

bool is_digits(const std::string& text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// A number slightly above 1 is not meant as a percentage.
bool is_percentage(const numeric::Rational& value) {
  return value <= 100 && (value >= 10 || (value >= 2 && numeric::is_integer(value)));
}

/// Does the option expect a fraction, a probability or a load?
bool wants_share(const std::string& legal) {
  if (legal.find("percent") != std::string::npos) return false;
  for (const char* const words : {"from 0 to 1:", "from 0 to 1 ", "less than 1", "below 1", "at most 1 ",
                                  "to the number of inputs", "at most 1:"})
    if (legal.find(words) != std::string::npos) return true;
  return legal.ends_with("from 0 to 1") || legal.ends_with("at most 1");
}

/// "0.1:0.9:0.1" of "0.1-0.9", "0.1..0.9" and "0.1 to 0.9"; empty of others.
std::string range_of(const std::string& typed) {
  static const std::regex two(R"(([0-9.]*[0-9])\s*(?:-|\.\.\.?|to|_)\s*([0-9][0-9.]*))");
  constexpr std::size_t longest = 64;  // that anyone types; matching takes a stack that grows with the text
  std::smatch found;
  if (typed.size() > longest) return {};
  if (!std::regex_match(typed, found, two)) return {};
  const std::string first = found[1], last = found[2];
  if (!number(first) || !number(last) || *number(first) >= *number(last)) return {};
  const bool whole = is_digits(first) && is_digits(last);
  return first + ":" + last + ":" + (whole ? "1" : "0.1");
}

/// A small probability, where 15 stands for 1e-15.
bool is_target(const std::string& option) {
  return is_among(option, "--drop --until --ever --reorder");
}

/// "85% or 0.85": a value that may be meant; empty where nothing is clear.
std::string meant(const InvalidArgument& error, const std::string& typed) {
  const std::size_t comma = typed.find(',');
  if (comma != std::string::npos && typed.find(',', comma + 1) == std::string::npos) {
    const std::string whole = typed.substr(0, comma), rest = typed.substr(comma + 1);
    if (whole == "0" && is_digits(rest))
      return whole + "." + rest + "? (" + typed + " is the list of " + whole + " and " + rest + ")";
  }
  if (const std::string range = range_of(typed); !range.empty()) return range + "? (FIRST:LAST:STEP)";
  for (const ValueHint& each : value_hints)
    if (each.option == error.argument() && is_among(error.value(), each.values))
      return std::string(each.hint) + "?";
  const std::optional<numeric::Rational> value = number(error.value());
  if (value && is_target(error.argument()) && numeric::is_integer(*value) && abs(*value) >= 2 &&
      abs(*value) <= 300)
    return "1e-" + numeric::plain(abs(*value)) + "?";
  if (value && is_percentage(*value) && wants_share(error.legal()))
    return numeric::plain(*value) + "% or " + numeric::plain(*value / 100) + "?";
  return {};
}

}  // namespace

std::string with_meant(const InvalidArgument& error, const std::string& typed) {
  std::string message = error.what();
  const std::string value = meant(error, typed);
  if (value.empty()) return message;
  if (!range_of(typed).empty())
    message =
        error.argument() + " is " + printable(typed, LineEnds::shown) + "; it must be a number or a list";
  return message + "; did you mean " + value;
}

std::string unknown_command(const std::string& word, const std::string& before,
                            const std::vector<std::string>& names) {
  const std::string what = "unknown command '" + (before.empty() ? word : before + " " + word) + "'";
  for (const SubcommandHint& each : subcommand_hints)
    if (each.before == before && is_among(word, each.words)) return what + "; " + std::string(each.hint);
  if (const std::string near = did_you_mean(word, names); !near.empty()) return what + near;
  for (const CommandHint& each : command_hints)
    if (is_among(word, each.words)) return what + "; " + std::string(each.hint);
  return what + "; the commands are " + in_words(names);
}

std::string unknown_option(const std::string& option, const std::string& command) {
  const std::string what = "unknown option " + option;
  CommonOptions common;
  const auto all = all_options(common);
  const auto own =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.first == command; });
  const auto holders = [&](std::string_view name) {
    std::vector<std::string> found;
    for (const auto& [holder, table] : all)
      if (table.find(name) != nullptr) found.push_back(holder);
    return found;
  };
  if (option.rfind("--", 0) != 0) return what + "; the short options are " + short_names_in_words();
  for (const SubcommandHint& each : unmodelled_options)
    if (each.before == command && is_among(option, each.words)) return what + "; " + std::string(each.hint);
  const auto remark_of = [](const OptionHint& hint) {
    return hint.remark.empty() ? "" : " (" + std::string(hint.remark) + ")";
  };
  if (own != all.end())
    for (const OptionHint& each : option_hints) {
      if (!is_among(option, each.words)) continue;
      for (const std::string& name : words_of(each.meant))
        if (const Option* its = own->second.find(name); its != nullptr)
          return what + "; did you mean " + with_type(*its) + "?" + remark_of(each);
    }
  if (holders(option).empty())
    for (const OptionHint& each : option_hints) {
      if (!is_among(option, each.words)) continue;
      const std::string first = words_of(each.meant).front();
      return what + "; did you mean " + first + " of " + few(holders(first)) + "?" + remark_of(each);
    }
  const std::vector<std::string> names = own == all.end() ? std::vector<std::string>() : own->second.names();
  std::string text = what + did_you_mean(option, names);
  if (const std::vector<std::string> found = holders(option); !found.empty())
    return text + "; " + option + " belongs to " + few(found);
  if (text != what) return text;
  std::vector<std::string> others;
  for (const auto& [holder, table] : all)
    for (const std::string& name : table.names())
      if (std::find(others.begin(), others.end(), name) == others.end()) others.push_back(name);
  if (const std::vector<std::string> near = nearest_names(option, others); !near.empty())
    return text + "; did you mean " + near.front() + " of " + few(holders(near.front())) + "?";
  return text;
}

std::vector<std::string> hinted_commands() {
  std::vector<std::string> all;
  for (const CommandHint& each : command_hints)
    for (const std::string& word : words_of(each.words)) all.push_back(word);
  for (const SubcommandHint& each : subcommand_hints)
    for (const std::string& word : words_of(each.words)) all.push_back(std::string(each.before) + " " + word);
  return all;
}

std::vector<std::string> hinted_options() {
  std::vector<std::string> all;
  for (const OptionHint& each : option_hints)
    for (const std::string& word : words_of(each.words)) all.push_back(word);
  return all;
}

}  // namespace tailbound::cli
