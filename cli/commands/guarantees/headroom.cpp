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

decltype(HeadroomQuery::sender) read_sender(const HeadroomOptions& options) {
  if (options.sender_ns && options.pause_quanta) throw not_allowed_with("--pause-quanta", "--sender-ns");
  if (options.pause_quanta) return PauseQuanta{options.pause_quanta.value()};
  if (options.sender_ns) return options.sender_ns.value();
  return {};
}

std::vector<std::optional<std::int64_t>> read_longest(const UnitOptions& units,
                                                      const HeadroomOptions& options) {
  const std::int64_t minimum = options.shortest.value();
  if (!units.packet_bytes && minimum > HeadroomQuery::usual_longest)
    throw InvalidArgument("--shortest", std::to_string(minimum),
                          "from 1 to 9216, the default maximum packet size (--packet-bytes)");
  if (!units.packet_bytes) return {std::nullopt};
  return each_or_none(true, units.packet_bytes.as(whole_quantities(
                                numeric::Measure::bytes, minimum, HeadroomOptions::largest_packet,
                                fmt::format("integers from {} (the shortest packet, --shortest) to {}",
                                            minimum, HeadroomOptions::largest_packet))));
}

}  // namespace

Reply answer_headroom(const GuaranteeOptions& options, const Context& context) {
  const HeadroomOptions& given = options.headroom;
  HeadroomQuery common{.gbps = 0, .cable = 0};
  common.sender = read_sender(given);
  common.receiver_ns = given.receiver_ns.if_given();
  common.metre_ns = given.metre_ns.if_given();
  common.phy_ns = given.phy_ns.if_given();
  common.shortest = given.shortest.if_given();
  common.return_bytes = given.return_bytes.if_given();
  common.return_gbps = given.return_gbps.if_given();
  const Rationals rates = options.units.link_gbps.as(
      rate_in_gbps(quantities(numeric::Measure::gbps))
          .needed("--headroom needs the link rate in Gbit/s, such as --link-gbps 400"));
  const std::vector<HeadroomQuery> queries =
      answers::Combinations(std::move(common))
          .by(rates, &HeadroomQuery::gbps)
          .by(given.cable.value(), &HeadroomQuery::cable)
          .by(read_longest(options.units, given), &HeadroomQuery::longest)
          .by(given.cell_bytes.each(), &HeadroomQuery::cell_bytes)
          .points();
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several points", "give --cable, --link-gbps or --packet-bytes a list");
  return show_all(
      queries, context, [](const auto& points) { return render::document(points); },
      [](const HeadroomQuery& query) { return render::inputs_of(query); });
}

}  // namespace tailbound::cli
