#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/render/documents/guarantee/crossbar_guarantee.hpp>

#include <string>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::CrossbarGuaranteeQuery;
using traffic::TokenBucket;

/// "0.9,10"
TokenBucket read_bucket(const Text& option) {
  constexpr const char* form =
      "RATE,TOKENS, such as 9/10,20: above 0 and at most 1 cell per slot, and 1 to 10^9 "
      "tokens, as a cell takes one";
  if (!option) throw missing(option.name(), std::string("--crossbar needs ") + form);
  const std::string& text = option.text();
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || text.find(',', comma + 1) != std::string::npos)
    throw option.invalid(form);
  const TokenBucket bucket{numeric::parse_share(text.substr(0, comma), option.name()),
                           numeric::parse_rational(text.substr(comma + 1), option.name())};
  if (bucket.rate <= 0 || bucket.rate > 1 || bucket.burst < 1 ||
      bucket.burst > numeric::Rational(bounds::PolicedCrossbar::max_burst))
    throw option.invalid(form);
  return bucket;
}

}  // namespace

Reply answer_crossbar_guarantee(const GuaranteeOptions& options, const Context& context) {
  const CrossbarGuaranteeOptions& given = options.crossbar;
  CrossbarGuaranteeQuery common;
  common.crossbar.row = read_bucket(given.row);
  common.crossbar.column = read_bucket(given.column);
  const std::vector<CrossbarGuaranteeQuery> queries =
      answers::Combinations(common)
          .by(given.crossbar.value(),
              [](CrossbarGuaranteeQuery& each, std::int64_t ports) { each.crossbar.ports = ports; })
          .by(given.speedup.value(),
              [](CrossbarGuaranteeQuery& each, std::int64_t speedup) { each.crossbar.speedup = speedup; })
          .points();
  if (context.draws && queries.size() < 2)
    throw needs("--plot", "several points", "give --crossbar or --speedup a list");
  if (options.units.packet_bytes && !options.units.link_gbps)
    throw needs("--packet-bytes", "--link-gbps G",
                "sizes are in cells; together they give the time of a slot");
  const answers::Units units = read_units(options.units);
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [](const CrossbarGuaranteeQuery& query) { return render::inputs_of(query); });
}

}  // namespace tailbound::cli
