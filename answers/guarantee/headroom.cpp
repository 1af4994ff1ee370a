#include <tailbound/answers/guarantee/headroom.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <array>

namespace tailbound::answers {
namespace {

using numeric::Rational;

struct RateQuanta {
  std::int64_t gbps, quanta;
};
/// IEEE 802.3, 31B.3.7. The slowest medium for each rate.
constexpr std::array<RateQuanta, 8> quanta_of_rates{
    {{1, 2}, {10, 74}, {25, 80}, {40, 118}, {50, 147}, {100, 394}, {200, 453}, {400, 905}}};

}  // namespace

UsualQuanta usual_pause_quanta(const Rational& gbps) {
  for (const RateQuanta& each : quanta_of_rates)
    if (gbps <= Rational(each.gbps)) return {{each.quanta}, each.gbps};
  const RateQuanta& last = quanta_of_rates.back();
  return {{numeric::to_int64(numeric::ceiling(Rational(last.quanta) * gbps / Rational(last.gbps)))},
          last.gbps};
}

std::optional<PauseQuanta> HeadroomQuery::quanta() const {
  if (sender_assumed()) return usual_pause_quanta(gbps).quanta;
  if (const auto* given = std::get_if<PauseQuanta>(&sender)) return *given;
  return std::nullopt;
}

bounds::PausingLink HeadroomQuery::link() const {
  bounds::PausingLink link;
  link.rate = gbps * 1'000'000'000;
  if (return_gbps) link.return_rate = *return_gbps * 1'000'000'000;
  link.cable = cable;
  link.delay_per_metre = metre_ns.value_or(Rational(usual_metre_ns));
  link.fixed_delay = phy_ns.value_or(0);
  const auto in_quanta = quanta();
  link.sender_latency =
      in_quanta ? bounds::pause_quanta(in_quanta->count, link.rate) : std::get<Rational>(sender);
  link.receiver_latency = receiver_ns.value_or(link.sender_latency);
  link.packets = {shortest.value_or(usual_shortest), longest.value_or(usual_longest)};
  link.longest_return = return_bytes.value_or(link.packets.longest);
  return link;
}

HeadroomAnswer answer(const HeadroomQuery& query, const Run&) {
  const bounds::PausingLink link = query.link();
  HeadroomAnswer answer{.headroom = bounds::headroom(link), .credits = bounds::credits(link)};
  if (query.cell_bytes) {
    answer.cells = bounds::headroom_cells(link, *query.cell_bytes);
    answer.credit_cells = bounds::credit_cells(link, *query.cell_bytes);
  }
  return answer;
}

}  // namespace tailbound::answers
