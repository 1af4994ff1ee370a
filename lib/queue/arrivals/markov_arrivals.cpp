#include <tailbound/core/error.hpp>
#include <tailbound/queue/arrivals/markov_arrivals.hpp>
#include <tailbound/queue/arrivals/phase_load.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tailbound::queue {
namespace {

using numeric::Rational;
using numeric::to_fraction;

constexpr std::size_t max_phases = MarkovArrivals::max_phases, max_blocks = MarkovArrivals::max_blocks,
                      max_block_entries = std::size_t{1} << 24U;

std::string place(std::size_t b, std::size_t i) {
  return "row " + std::to_string(i + 1) + " of D_" + std::to_string(b);
}

void check_shape(const RationalBlocks& blocks) {
  if (blocks.empty()) throw InvalidArgument("blocks", "an empty list", "matrices D_0, D_1, ...");
  const std::size_t size = blocks.front().size();
  if (size == 0 || size > max_phases)
    throw InvalidArgument("phases", std::to_string(size), "from 1 to " + std::to_string(max_phases));
  if (blocks.size() > max_blocks)
    throw LimitExceeded(std::to_string(blocks.size()) + " blocks, and the limit is " +
                        std::to_string(max_blocks));
  if (blocks.size() * size * size > max_block_entries)
    throw LimitExceeded("more than 2^24 entries in the blocks");
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].size() != size)
      throw InvalidArgument("D_" + std::to_string(b), std::to_string(blocks[b].size()) + " rows",
                            "a matrix of " + std::to_string(size) + " rows, as D_0");
    for (std::size_t i = 0; i < size; ++i) {
      if (blocks[b][i].size() != size)
        throw InvalidArgument(place(b, i), std::to_string(blocks[b][i].size()) + " entries",
                              "a row of " + std::to_string(size));
      for (const Rational& entry : blocks[b][i])
        if (entry < 0 || entry > 1)
          throw InvalidArgument("an entry in " + place(b, i), to_fraction(entry),
                                "a probability, from 0 to 1");
    }
  }
}

/// Common denominator of all entries.
/// \throws LimitExceeded  the exact load would take too long
numeric::Integer common_denominator(const RationalBlocks& blocks) {
  const std::size_t phases = blocks.front().size();
  numeric::Integer common = 1;
  for (const auto& rows : blocks)
    for (const auto& row : rows)
      for (const Rational& entry : row) {
        common = numeric::lcm(common, numeric::denominator(entry));
        const std::size_t bits = numeric::bit_length(common);
        if (phase_load_products(phases, bits) > max_phase_load_products)
          throw LimitExceeded("the common denominator of all entries has " + std::to_string(bits) +
                              " bits or more, too many for the exact load of " + std::to_string(phases) +
                              " phases");
      }
  return common;
}

/// Sum over b.
std::vector<std::vector<Rational>> transitions(const RationalBlocks& blocks) {
  std::vector<std::vector<Rational>> sum = blocks.front();
  for (std::size_t b = 1; b < blocks.size(); ++b)
    for (std::size_t i = 0; i < sum.size(); ++i)
      for (std::size_t j = 0; j < sum.size(); ++j) sum[i][j] = sum[i][j] + blocks[b][i][j];
  return sum;
}

/// [i]: whether phase i can be reached from phase 0 (`backwards`: whether phase 0 can be reached from it).
std::vector<bool> reached(const std::vector<std::vector<Rational>>& p, bool backwards) {
  std::vector<bool> seen(p.size());
  std::vector<std::size_t> open{0};
  seen[0] = true;
  while (!open.empty()) {
    const std::size_t i = open.back();
    open.pop_back();
    for (std::size_t j = 0; j < p.size(); ++j)
      if (!seen[j] && (backwards ? p[j][i] : p[i][j]) > 0) {
        seen[j] = true;
        open.push_back(j);
      }
  }
  return seen;
}

void check_irreducible(const std::vector<std::vector<Rational>>& p) {
  const std::vector<bool> from = reached(p, false), to = reached(p, true);
  std::string mutual, others;
  for (std::size_t i = 0; i < p.size(); ++i)
    (from[i] && to[i] ? mutual : others) +=
        (i == 0 || (from[i] && to[i] ? mutual : others).empty() ? "" : ", ") + std::to_string(i + 1);
  if (others.empty()) return;
  throw InvalidArgument(
      "the chain of phases", "reducible",
      "irreducible: phases " + mutual + " communicate with each other, but not with " + others);
}

}  // namespace

MarkovArrivals MarkovArrivals::on_off(std::vector<OnOffGroup> groups) {
  if (groups.empty()) throw InvalidArgument("sources", "an empty list", "at least one group");
  MarkovArrivals arrivals;
  arrivals.load_ = 0;
  arrivals.phases_ = 1;
  for (const auto& [source, count, share] : groups) {
    if (count < 1 || count > (std::int64_t{1} << 20))
      throw InvalidArgument("sources", std::to_string(count), "from 1 to 2^20 = 1048576");
    for (const auto& [name, value] :
         {std::pair{"alpha", &source.start}, std::pair{"on-rate", &source.on_rate}})
      if (*value <= 0 || *value > 1)
        throw InvalidArgument(name, to_fraction(*value), "above 0 and at most 1");
    if (source.stop < 0 || source.stop > 1)
      throw InvalidArgument("beta", to_fraction(source.stop), "from 0 to 1");
    if (source.load != source.on_rate * source.start / (source.start + source.stop))
      throw InvalidArgument("load of a source", to_fraction(source.load), "on-rate alpha / (alpha + beta)");
    if (share <= 0 || share > 1) throw InvalidArgument("share", to_fraction(share), "above 0 and at most 1");
    if (source.stop == 0 && share != 1)
      throw InvalidArgument("share", to_fraction(share), "1 for a source that never turns OFF");
    arrivals.load_ = arrivals.load_ + source.load * share * Rational(static_cast<long>(count));
    const std::int64_t phases = source.stop == 0 ? 1 : share == 1 ? count + 1 : (count + 1) * (count + 2) / 2;
    arrivals.phases_ = arrivals.phases_ > (std::int64_t{1} << 62) / phases ? std::int64_t{1} << 62
                                                                           : arrivals.phases_ * phases;
  }
  std::int64_t alternating = 0;
  for (const auto& [source, count, share] : groups)
    if (source.start == 1 && source.stop == 1) alternating += count;
  if (alternating > 1)
    throw InvalidArgument("burst", "1 slot, at this load with pauses of 1 slot",
                          "above 1 slot for several sources: sources that turn ON and OFF in every slot stay "
                          "in phase forever, so there is no unique distribution");
  arrivals.form_ = std::move(groups);
  return arrivals;
}

MarkovArrivals MarkovArrivals::trains(const GeometricTrains& trains) {
  if (trains.inputs < 2 || trains.inputs > (std::int64_t{1} << 20))
    throw InvalidArgument("inputs", std::to_string(trains.inputs), "from 2 to 2^20 = 1048576");
  if (trains.load <= 0 || trains.load > 1)
    throw InvalidArgument("load", to_fraction(trains.load), "above 0 and at most 1");
  if (trains.length <= 1)
    throw InvalidArgument("mean length of trains", to_fraction(trains.length), "above 1 cell");
  MarkovArrivals arrivals;
  arrivals.load_ = trains.load;
  arrivals.phases_ = (trains.inputs + 1) * (trains.inputs + 2) / 2;
  arrivals.form_ = trains;
  return arrivals;
}

MarkovArrivals MarkovArrivals::blocks(RationalBlocks blocks) {
  check_shape(blocks);
  while (blocks.size() > 1 && std::all_of(blocks.back().begin(), blocks.back().end(), [](const auto& row) {
           return std::all_of(row.begin(), row.end(), [](const Rational& entry) { return entry == 0; });
         }))
    blocks.pop_back();
  const numeric::Integer denominator = common_denominator(blocks);
  const auto p = transitions(blocks);
  for (std::size_t i = 0; i < p.size(); ++i) {
    Rational sum = 0;
    for (const Rational& entry : p[i]) sum = sum + entry;
    if (sum != 1)
      throw InvalidArgument("the sum of row " + std::to_string(i + 1) + " over all blocks",
                            numeric::to_decimal(sum, 17, numeric::Rounding::nearest), "1, exactly");
  }
  check_irreducible(p);
  std::vector<Rational> mean(p.size(), 0);
  for (std::size_t b = 1; b < blocks.size(); ++b)
    for (std::size_t i = 0; i < mean.size(); ++i)
      for (const Rational& entry : blocks[b][i]) mean[i] = mean[i] + Rational(static_cast<long>(b)) * entry;
  MarkovArrivals arrivals;
  arrivals.load_ = phase_load(p, mean, denominator);
  arrivals.phases_ = static_cast<std::int64_t>(p.size());
  arrivals.form_ = std::move(blocks);
  return arrivals;
}

}  // namespace tailbound::queue
