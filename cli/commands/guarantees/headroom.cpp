#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/guarantee/headroom.hpp>

#include <algorithm>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::HeadroomQuery;
using answers::PauseQuanta;
using numeric::Rational;

constexpr std::int64_t longest_cable = 100'000'000, longest_latency = 1'000'000'000, max_quanta = 1'000'000,
                       largest_packet = 1'000'000, largest_cell = 1'000'000;

/// From 0 to `largest`.
Rational read_upto(const std::string& text, const char* option, std::int64_t largest, const char* unit) {
  const Rational value = parse_quantity(text, option, numeric::Measure::nanoseconds);
  if (value < 0 || value > Rational(largest))
    throw InvalidArgument(option, text, "from 0 to " + std::to_string(largest) + " " + unit);
  return value;
}
std::optional<Rational> read_ns(const std::optional<std::string>& text, const char* option) {
  if (!text) return std::nullopt;
  return read_upto(*text, option, longest_latency, "ns");
}

void require_rate(const Rational& gbps, const std::string& text, const char* option) {
  if (gbps <= 0 || gbps > Rational(answers::Units::max_link_gbps))
    throw InvalidArgument(option, text, "greater than 0 and at most 1000000 Gbit/s");
}
std::vector<Rational> read_rates(const std::optional<std::string>& text) {
  const std::string& given =
      required(text, "--link-gbps", "--headroom needs the link rate in Gbit/s, such as --link-gbps 400");
  std::vector<Rational> rates = parse_quantities(given, "--link-gbps", numeric::Measure::gbps);
  for (const Rational& rate : rates) require_rate(rate, given, "--link-gbps");
  return rates;
}

std::vector<Rational> read_cables(const std::optional<std::string>& text) {
  const std::string& given =
      required(text, "--cable", "--headroom needs the cable length in m, such as --cable 500");
  std::vector<Rational> cables = parse_list(given, "--cable");
  for (const Rational& cable : cables)
    if (cable < 0 || cable > Rational(longest_cable))
      throw InvalidArgument("--cable", given, "from 0 to " + std::to_string(longest_cable) + " m");
  return cables;
}

decltype(HeadroomQuery::sender) read_sender(const HeadroomOptions& options) {
  if (options.sender_ns && options.pause_quanta) throw not_allowed_with("--pause-quanta", "--sender-ns");
  if (options.pause_quanta)
    return PauseQuanta{parse_integer(*options.pause_quanta, "--pause-quanta", 0, max_quanta)};
  if (options.sender_ns) return *read_ns(options.sender_ns, "--sender-ns");
  return {};
}

std::optional<std::int64_t> read_shortest(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  return parse_whole_quantity(*text, "--shortest", numeric::Measure::bytes, 1, largest_packet);
}

std::vector<std::optional<std::int64_t>> read_longest(const std::optional<std::string>& text,
                                                      const std::optional<std::int64_t>& shortest) {
  const std::int64_t minimum = shortest.value_or(HeadroomQuery::usual_shortest);
  if (!text) {
    if (minimum > HeadroomQuery::usual_longest)
      throw InvalidArgument("--shortest", std::to_string(minimum),
                            "from 1 to 9216, the default maximum packet size (--packet-bytes)");
    return {std::nullopt};
  }
  return each_or_none(
      true,
      parse_whole_quantities(*text, "--packet-bytes", numeric::Measure::bytes, minimum, largest_packet,
                             "integers from " + std::to_string(minimum) +
                                 " (the shortest packet, --shortest) to " + std::to_string(largest_packet)));
}

}  // namespace

void add_headroom_options(OptionTable& table, HeadroomOptions& options) {
  const OptionGroup group(table, "Headroom of a lossless link");
  group.add_flag("--headroom", options.headroom,
                 "headroom in bytes of a lossless (pausing) link.\nThe buffer for packets that arrive after "
                 "a pause frame, over --link-gbps LIST and --cable, and the credits that keep the link full");
  group.add("--cable", options.cable, "LIST", "cable length in m, 0 or more", slider(0, 10'000, 10));
  group.add(
      "--sender-ns", options.sender_ns, "T",
      "reaction time of the sender in ns, 0 or more.\nFrom the last bit of a pause frame until the sender "
      "starts no further packet. Default: the 802.3 limit for the link rate (400 Gbit/s: 905 quanta, 1158.4 "
      "ns)",
      slider(0, 5'000, 10));
  group.add("--pause-quanta", options.pause_quanta, "N", "the same in quanta of 512 bit times, 0 or more",
            slider(0, 1'000, 1));
  group.add("--receiver-ns", options.receiver_ns, "T",
            "reaction time of the receiver in ns, 0 or more.\nFrom the decision until the pause frame is "
            "ready to be sent (default as the sender)",
            slider(0, 5'000, 10));
  group.add("--shortest", options.shortest, "N",
            "minimum packet size in bytes, 1 or more (default 64).\nThe maximum size that is paused is "
            "--packet-bytes LIST (default 9216)",
            slider(64, 1'518, 1));
  group.add("--return-bytes", options.return_bytes, "N",
            "maximum packet size in the direction of pause frames.\nIn bytes, 0 or more (default as "
            "--packet-bytes)",
            slider(0, 9'216, 64));
  group.add("--return-gbps", options.return_gbps, "G",
            "rate of that direction in Gbit/s, above 0.\nDefault as --link-gbps", slider(1, 800, 1));
  group.add("--metre-ns", options.metre_ns, "T", "delay per metre of cable in ns, 0 or more (default 5)",
            slider(4, 6, 0.01));
  group.add("--phy-ns", options.phy_ns, "T",
            "other delay per direction in ns, 0 or more (default 0).\nTransceivers and FEC",
            slider(0, 500, 1));
  group.add("--cell-bytes", options.cell_bytes, "LIST",
            "memory in cells of this many bytes, 1 or more.\nShows headroom and credits in cells too",
            slider(32, 512, 16));
}

Reply answer_headroom(const GuaranteeOptions& options, const Context& context) {
  const HeadroomOptions& given = options.headroom;
  const std::optional<std::int64_t> shortest = read_shortest(given.shortest);
  HeadroomQuery common{.gbps = 0, .cable = 0};
  common.sender = read_sender(given);
  common.receiver_ns = read_ns(given.receiver_ns, "--receiver-ns");
  common.metre_ns = read_ns(given.metre_ns, "--metre-ns");
  common.phy_ns = read_ns(given.phy_ns, "--phy-ns");
  common.shortest = shortest;
  if (given.return_bytes)
    common.return_bytes = parse_whole_quantity(*given.return_bytes, "--return-bytes", numeric::Measure::bytes,
                                               0, largest_packet);
  if (given.return_gbps) {
    common.return_gbps = parse_quantity(*given.return_gbps, "--return-gbps", numeric::Measure::gbps);
    require_rate(*common.return_gbps, *given.return_gbps, "--return-gbps");
  }
  std::vector<std::optional<std::int64_t>> cells{std::nullopt};
  if (given.cell_bytes)
    cells = each_or_none(true, parse_whole_quantities(*given.cell_bytes, "--cell-bytes",
                                                      numeric::Measure::bytes, 1, largest_cell));
  const std::vector<HeadroomQuery> queries =
      answers::Combinations(std::move(common))
          .by(read_rates(options.units.link_gbps), &HeadroomQuery::gbps)
          .by(read_cables(given.cable), &HeadroomQuery::cable)
          .by(read_longest(options.units.packet_bytes, shortest), &HeadroomQuery::longest)
          .by(cells, &HeadroomQuery::cell_bytes)
          .points();
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several points", "give --cable, --link-gbps or --packet-bytes a list");
  return show_all(queries, context, [](const auto& points) { return render::document(points); });
}

}  // namespace tailbound::cli
