#include <tailbound/bounds/curves/step_curves.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::bounds {
namespace {

using numeric::Integer;
using Step = StepCurve::Piece;

Rational at(const Step& piece, const Rational& time) {
  return piece.slope == 0 ? piece.value : Rational(piece.value + piece.slope * (time - piece.start));
}

/// Omits a piece that continues the one before it.
void append(std::vector<Step>& pieces, Step piece) {
  if (!pieces.empty() && pieces.back().start == piece.start) pieces.pop_back();
  if (!pieces.empty() && pieces.back().slope == piece.slope && at(pieces.back(), piece.start) == piece.value)
    return;
  pieces.push_back(std::move(piece));
}

/// Where the curve reaches `data`, which is above curve(0); none if it never does.
std::optional<Rational> reached(const ArrivalCurve& curve, const Rational& data) {
  Rational latest = 0;
  for (const ArrivalCurve::Line& line : curve.lines()) {
    if (line.burst >= data) continue;
    if (line.rate == 0) return std::nullopt;
    latest = std::max(latest, Rational((data - line.burst) / line.rate));
  }
  return latest;
}

/// The part of a curve from `from` on, before `to`; values raised by `more`.
void append_part(std::vector<Step>& pieces, const ArrivalCurve& curve, const Rational& from,
                 const std::optional<Rational>& to, const Rational& more = 0) {
  for (std::size_t i = 0; i < curve.lines().size(); ++i) {
    if (i < curve.breaks().size() && curve.breaks()[i] <= from) continue;
    const Rational start = i == 0 ? from : std::max(from, curve.breaks()[i - 1]);
    if (to && start >= *to) return;
    const ArrivalCurve::Line& line = curve.lines()[i];
    append(pieces, {start, line.burst + line.rate * start + more, line.rate});
  }
}

/// The common refinement of both, up to `end`: take(start, next, piece of one, piece of other).
template <class Take>
void together(const StepCurve& one, const StepCurve& other, const Rational& end, Take take) {
  const std::vector<Step>&first = one.pieces(), &second = other.pieces();
  std::size_t i = 0, j = 0;
  Rational start = 0;
  while (start <= end) {
    const bool more = i + 1 < first.size(), others = j + 1 < second.size();
    Rational next = end;
    if (more) next = std::min(next, first[i + 1].start);
    if (others) next = std::min(next, second[j + 1].start);
    take(start, next, first[i], second[j]);
    const bool ends = (!more || first[i + 1].start > next) && (!others || second[j + 1].start > next);
    if (ends) return;
    if (more && first[i + 1].start == next) ++i;
    if (others && second[j + 1].start == next) ++j;
    start = next;
  }
}

}  // namespace

StepCurve::StepCurve(const ArrivalCurve& curve, const Rational& end) {
  if (curve.is_nothing())
    pieces_.push_back({0, 0, 0});
  else
    append_part(pieces_, curve, 0, end == 0 ? std::nullopt : std::optional(end));
}

StepCurve::StepCurve(const ServiceCurve& curve, const Rational& end) {
  if (curve.latency() > 0) pieces_.push_back({0, 0, 0});
  for (const ServiceCurve::Piece& piece : curve.pieces())
    if (piece.start <= end) pieces_.push_back({piece.start, piece.value, piece.slope});
}

Rational StepCurve::operator()(const Rational& time) const {
  const auto after =
      std::upper_bound(pieces_.begin(), pieces_.end(), time,
                       [](const Rational& value, const Step& piece) { return value < piece.start; });
  return at(*(after - 1), time);
}

std::optional<StepCurve> in_whole_packets(const ArrivalCurve& curve, const Rational& shortest,
                                          const Rational& longest, const Rational& end,
                                          std::size_t max_pieces, const Rational& more) {
  if (shortest <= 0 || curve.is_nothing()) return StepCurve(curve, end);
  std::vector<Step> pieces;
  Integer n = numeric::floor(curve.burst() / shortest);
  Rational start = 0;
  while (true) {
    const Rational count(n), most = count * longest;
    std::optional<Rational> next = reached(curve, Rational(n + 1) * shortest);
    if (next && *next > end) next.reset();
    const Rational value = curve(start);
    if (longest > shortest && more == 0 && most >= count * shortest + shortest) {
      append_part(pieces, curve, start,
                  std::nullopt);  // packets of other lengths bring as much, from here on
      break;
    }
    std::optional<Rational> full;  // where they are all longest
    if (value < most) full = reached(curve, most);
    const Rational until = next.value_or(end + 1);
    if (value < most) append_part(pieces, curve, start, full ? std::min(*full, until) : until, more * count);
    if (value >= most)
      append(pieces, {start, most + more * count, 0});
    else if (full && *full < until)
      append(pieces, {*full, most + more * count, 0});
    if (!next) break;
    start = *std::move(next);
    ++n;
    if (pieces.size() > max_pieces) return std::nullopt;
  }
  return StepCurve(std::move(pieces));
}

StepCurve sum_of(const std::vector<StepTerm>& terms) {
  struct Change {
    const Rational* start;
    Rational constant, slope;
  };
  std::vector<Change> changes;
  for (const StepTerm& term : terms) {
    const Step* before = nullptr;
    for (const Step& piece : term.curve.pieces()) {
      Rational constant = piece.value - piece.slope * piece.start, slope = piece.slope;
      if (before != nullptr) {
        constant = constant - (before->value - before->slope * before->start);
        slope = slope - before->slope;
      }
      if (term.factor != 1) {
        constant = constant * term.factor;
        slope = slope * term.factor;
      }
      changes.push_back({&piece.start, std::move(constant), std::move(slope)});
      before = &piece;
    }
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& one, const Change& other) { return *one.start < *other.start; });
  std::vector<Step> pieces;
  Rational constant = 0, slope = 0;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    constant = constant + changes[i].constant;
    slope = slope + changes[i].slope;
    if (i + 1 < changes.size() && *changes[i + 1].start == *changes[i].start) continue;
    append(pieces, {*changes[i].start, constant + slope * *changes[i].start, slope});
  }
  if (pieces.empty()) return {};
  return StepCurve(std::move(pieces));
}

StepCurve minimum(const StepCurve& one, const StepCurve& other, const Rational& end) {
  std::vector<Step> pieces;
  together(one, other, end,
           [&](const Rational& start, const Rational& next, const Step& first, const Step& second) {
             const Rational above = at(first, start) - at(second, start);
             const bool second_first = above > 0 || (above == 0 && first.slope > second.slope);
             const Step &lower = second_first ? second : first, &upper = second_first ? first : second;
             append(pieces, {start, at(lower, start), lower.slope});
             if (lower.slope <= upper.slope) return;
             const Rational meets =
                 start + (at(upper, start) - at(lower, start)) / (lower.slope - upper.slope);
             if (meets < next) append(pieces, {meets, at(upper, meets), upper.slope});
           });
  return StepCurve(std::move(pieces));
}

Rational common_multiple(const Rational& one, const Rational& other) {
  return Rational(numeric::lcm(numeric::numerator(one), numeric::numerator(other))) /
         Rational(numeric::gcd(numeric::denominator(one), numeric::denominator(other)));
}

std::optional<StepCurve> of_one_clock(const std::vector<ClockedPackets>& flows, const Rational& end,
                                      std::size_t max_pieces) {
  Rational hyperperiod = 0;
  for (const ClockedPackets& flow : flows)
    hyperperiod = hyperperiod == 0 ? flow.period : common_multiple(hyperperiod, flow.period);
  Rational starts = 0, in_window = 0;
  for (const ClockedPackets& flow : flows) {
    starts = starts + hyperperiod / flow.period;
    in_window = in_window + (end + flow.spread) / flow.period + 1;
  }
  if (starts * in_window > static_cast<std::int64_t>(max_pieces)) return std::nullopt;
  struct Sum {
    Rational time, data;
  };
  std::vector<Sum> all, own;
  // A window that begins at the latest arrival of a packet brings most: later it loses one.
  for (const ClockedPackets& starting : flows)
    for (Rational begin = starting.first + starting.spread, last = begin + hyperperiod; begin < last;
         begin = begin + starting.period) {
      own.clear();
      for (const ClockedPackets& flow : flows) {
        const Integer from = numeric::ceiling(Rational((begin - flow.spread - flow.first) / flow.period));
        for (Rational time = flow.first + Rational(from) * flow.period - begin; time <= end;
             time = time + flow.period)
          own.push_back({std::max(time, Rational(0)), flow.length});
      }
      std::sort(own.begin(), own.end(),
                [](const Sum& one, const Sum& other) { return one.time < other.time; });
      Rational sum = 0;
      for (const Sum& packet : own) all.push_back({packet.time, sum = sum + packet.data});
    }
  std::stable_sort(all.begin(), all.end(),
                   [](const Sum& one, const Sum& other) { return one.time < other.time; });
  std::vector<Step> pieces{{0, 0, 0}};
  for (const Sum& each : all)
    if (each.data > pieces.back().value) append(pieces, {each.time, each.data, 0});
  return StepCurve(std::move(pieces));
}

StepCurve positive_part(const StepCurve& curve) {
  std::vector<Step> pieces;
  const std::vector<Step>& all = curve.pieces();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Step& piece = all[i];
    append(pieces, piece.value >= 0 ? piece : Step{piece.start, 0, 0});
    if (piece.slope == 0 || (piece.value >= 0) == (piece.slope > 0)) continue;
    const Rational crosses = piece.start - piece.value / piece.slope;
    if (crosses > piece.start && (i + 1 == all.size() || crosses < all[i + 1].start))
      append(pieces, {crosses, 0, std::max(piece.slope, Rational(0))});
  }
  return StepCurve(std::move(pieces));
}

Rational vertical_distance(const StepCurve& arrivals, const StepCurve& service, const Rational& end) {
  Rational maximum = arrivals.pieces().front().value - service.pieces().front().value;
  together(arrivals, service, end,
           [&](const Rational& start, const Rational& next, const Step& first, const Step& second) {
             maximum = std::max({maximum, Rational(at(first, start) - at(second, start)),
                                 Rational(at(first, next) - at(second, next))});
           });
  return maximum;
}

namespace {

/// The largest non-decreasing function below a service: continuous.
std::vector<Step> lower_closure(const StepService& service) {
  std::vector<Step> reversed;
  Rational least = service.after;  // from here on
  const std::vector<Step>& pieces = service.sent.pieces();
  Rational until = service.horizon;
  for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
    if (piece->start >= service.horizon) continue;
    const Rational last = at(*piece, until);
    if (piece->slope > 0) {
      // Above `least` towards its end, below it before.
      if (last > least) {
        const Rational crosses = std::max(Rational(until - (last - least) / piece->slope), piece->start);
        reversed.push_back({crosses, least, 0});
        if (crosses > piece->start) reversed.push_back({piece->start, piece->value, piece->slope});
        least = std::min(least, piece->value);
      } else {
        // Jumps upwards do not occur.
        least = piece->value;
        reversed.push_back(*piece);
      }
    } else {
      least = std::min(least, last);
      reversed.push_back({piece->start, least, 0});
    }
    until = piece->start;
  }
  std::vector<Step> closure;
  for (auto piece = reversed.rbegin(); piece != reversed.rend(); ++piece) append(closure, *piece);
  return closure;
}

}  // namespace

std::optional<LongestDelay> horizontal_distance(const StepCurve& arrivals, const Rational& end,
                                                const StepService& service, const Rational& less) {
  const std::vector<Step> closure = lower_closure(service);
  // The time until more than `data` is served.
  const auto until = [&](const Rational& data) -> std::optional<Rational> {
    if (data >= service.after) return std::nullopt;
    const auto above =
        std::upper_bound(closure.begin(), closure.end(), data,
                         [](const Rational& value, const Step& piece) { return value < piece.value; });
    if (above == closure.begin()) return Rational(0);
    const Step& piece = *(above - 1);
    if (piece.slope > 0) {
      const Rational time = piece.start + (data - piece.value) / piece.slope;
      return std::min(time, above == closure.end() ? service.horizon : above->start);
    }
    return above == closure.end() ? service.horizon : above->start;
  };
  std::optional<LongestDelay> maximum;
  const auto look_at = [&](const Rational& time, const Rational& data) {
    const auto served = until(std::max(Rational(data - less), Rational(0)));
    if (!served) return false;
    const Rational delay = *served - time;
    if (!maximum || delay > maximum->delay) maximum = LongestDelay{delay, time};
    return true;
  };
  const std::vector<Step>& pieces = arrivals.pieces();
  for (std::size_t i = 0; i < pieces.size() && pieces[i].start <= end; ++i) {
    const Step& piece = pieces[i];
    if (!look_at(piece.start, piece.value)) return std::nullopt;
    if (piece.slope == 0) continue;
    const Rational last = i + 1 < pieces.size() ? std::min(pieces[i + 1].start, end) : end;
    const Rational reaches = at(piece, last);
    if (!look_at(last, reaches)) return std::nullopt;
    for (const Step& corner : closure) {
      const Rational data = corner.value + less;
      if (data > piece.value && data < reaches &&
          !look_at(piece.start + (data - piece.value) / piece.slope, data))
        return std::nullopt;
    }
  }
  return maximum;
}

}  // namespace tailbound::bounds
