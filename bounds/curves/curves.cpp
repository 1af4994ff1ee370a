#include <tailbound/bounds/curves/curves.hpp>
#include <tailbound/numeric/rational.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::bounds {
namespace {

using Line = ArrivalCurve::Line;
using Piece = ServiceCurve::Piece;

/// Intersection of two lines of different rate.
Rational meeting(const Line& one, const Line& other) {
  return (other.burst - one.burst) / (one.rate - other.rate);
}

void add_rising(std::vector<Rational>& all, const Rational& value) {
  if (all.empty() || all.back() < value) all.push_back(value);
}

/// The union of two increasing lists, increasing.
std::vector<Rational> merged(const std::vector<Rational>& one, const std::vector<Rational>& other) {
  std::vector<Rational> all;
  all.reserve(one.size() + other.size());
  std::size_t i = 0, j = 0;
  while (i < one.size() || j < other.size())
    if (j == other.size() || (i < one.size() && one[i] <= other[j]))
      add_rising(all, one[i++]);
    else
      add_rising(all, other[j++]);
  return all;
}

}  // namespace

ArrivalCurve::ArrivalCurve(std::vector<Line> lines) {
  std::sort(lines.begin(), lines.end(), [](const Line& one, const Line& other) {
    return one.burst != other.burst ? one.burst < other.burst : one.rate < other.rate;
  });
  for (Line& line : lines) {
    if (!lines_.empty() && line.rate >= lines_.back().rate) continue;  // never below the previous one
    // The previous line is never the minimum if this one meets its predecessor first.
    while (!breaks_.empty() && meeting(lines_.back(), line) <= breaks_.back()) {
      lines_.pop_back();
      breaks_.pop_back();
    }
    if (!lines_.empty()) breaks_.push_back(meeting(lines_.back(), line));
    lines_.push_back(std::move(line));
  }
}

Rational ArrivalCurve::operator()(const Rational& time) const {
  if (is_nothing()) return 0;
  const auto after = std::upper_bound(breaks_.begin(), breaks_.end(), time);
  const Line& line = lines_[static_cast<std::size_t>(after - breaks_.begin())];
  return line.burst + line.rate * time;
}

ArrivalCurve ArrivalCurve::later(const Rational& time) const {
  if (time == 0) return *this;
  ArrivalCurve result;
  std::size_t first = 0;
  while (first < breaks_.size() && breaks_[first] <= time) ++first;
  for (std::size_t i = first; i < lines_.size(); ++i) {
    result.lines_.push_back({lines_[i].rate, lines_[i].burst + lines_[i].rate * time});
    if (i < breaks_.size()) result.breaks_.push_back(breaks_[i] - time);
  }
  return result;
}

ArrivalCurve ArrivalCurve::rounded_up(const numeric::Integer& denominator) const {
  if (denominator == 0) return *this;
  std::vector<Line> lines = lines_;
  bool changed = false;
  for (Line& line : lines)
    if (numeric::denominator(line.burst) > denominator) {
      line.burst = numeric::ceiling(line.burst * denominator) / Rational(denominator);
      changed = true;
    }
  return changed ? ArrivalCurve(std::move(lines)) : *this;
}

ArrivalCurve ArrivalCurve::combined(const ArrivalCurve& other, bool subtract) const {
  ArrivalCurve result;
  std::size_t i = 0, j = 0;
  while (true) {
    const Line &one = lines_[i], &two = other.lines_[j];
    Line line = subtract ? Line{one.rate - two.rate, one.burst - two.burst}
                         : Line{one.rate + two.rate, one.burst + two.burst};
    if (result.lines_.empty() || !(result.lines_.back() == line))
      result.lines_.push_back(std::move(line));
    else
      result.breaks_.pop_back();
    const bool more = i < breaks_.size(), others = j < other.breaks_.size();
    if (!more && !others) return result;
    const bool first = more && (!others || breaks_[i] <= other.breaks_[j]);
    const bool second = others && (!more || other.breaks_[j] <= breaks_[i]);
    result.breaks_.push_back(first ? breaks_[i] : other.breaks_[j]);
    if (first) ++i;
    if (second) ++j;
  }
}

ArrivalCurve& ArrivalCurve::operator+=(const ArrivalCurve& other) {
  if (other.is_nothing()) return *this;
  if (is_nothing()) return *this = other;
  return *this = combined(other, false);
}

ArrivalCurve ArrivalCurve::without(const ArrivalCurve& part) const {
  if (part.is_nothing()) return *this;
  if (*this == part) return {};
  return combined(part, true);
}

ArrivalCurve minimum(const ArrivalCurve& one, const ArrivalCurve& other) {
  std::vector<Line> lines = one.lines();
  lines.insert(lines.end(), other.lines().begin(), other.lines().end());
  return ArrivalCurve(std::move(lines));
}

ServiceCurve::ServiceCurve(Rational latency, Rational rate)
    : pieces_{{std::move(latency), 0, std::move(rate)}} {}

Rational ServiceCurve::operator()(const Rational& time) const {
  if (time <= latency()) return 0;
  std::size_t i = pieces_.size() - 1;
  while (pieces_[i].start > time) --i;
  return pieces_[i].value + pieces_[i].slope * (time - pieces_[i].start);
}

Rational ServiceCurve::inverse(const Rational& data) const {
  if (data <= 0) return latency();
  std::size_t i = pieces_.size() - 1;
  while (pieces_[i].value > data) --i;
  return pieces_[i].start + (data - pieces_[i].value) / pieces_[i].slope;
}

ServiceCurve in_series(const ServiceCurve& first, const ServiceCurve& second) {
  struct Slope {
    Rational slope;
    std::optional<Rational> length;  ///< none: unbounded
  };
  std::vector<Slope> slopes;
  for (const ServiceCurve* curve : {&first, &second}) {
    const std::vector<Piece>& pieces = curve->pieces();
    for (std::size_t i = 0; i < pieces.size(); ++i)
      slopes.push_back({pieces[i].slope, i + 1 < pieces.size()
                                             ? std::optional(pieces[i + 1].start - pieces[i].start)
                                             : std::nullopt});
  }
  std::stable_sort(slopes.begin(), slopes.end(),
                   [](const Slope& one, const Slope& other) { return one.slope < other.slope; });
  std::vector<Piece> pieces;
  Rational start = first.latency() + second.latency(), value = 0;
  for (const Slope& slope : slopes) {
    if (pieces.empty() || pieces.back().slope != slope.slope) pieces.push_back({start, value, slope.slope});
    if (!slope.length) break;
    start = start + *slope.length;
    value = value + *slope.length * slope.slope;
  }
  return ServiceCurve(std::move(pieces));
}

std::optional<Rational> vertical_distance(const ArrivalCurve& arrivals, const ServiceCurve& service) {
  if (arrivals.rate() > service.rate()) return std::nullopt;
  Rational maximum = arrivals.burst();
  const auto look_at = [&](const Rational& time) {
    maximum = std::max(maximum, Rational(arrivals(time) - service(time)));
  };
  for (const Rational& time : arrivals.breaks()) look_at(time);
  for (const Piece& piece : service.pieces()) look_at(piece.start);
  return maximum;
}

std::optional<Rational> horizontal_distance(const ArrivalCurve& arrivals, const ServiceCurve& service,
                                            const Rational& less) {
  if (arrivals.is_nothing()) return service.latency();
  if (arrivals.rate() > service.rate()) return std::nullopt;
  Rational maximum = service.inverse(arrivals.burst() - less);
  for (const Rational& time : arrivals.breaks())
    maximum = std::max(maximum, Rational(service.inverse(arrivals(time) - less) - time));
  // Times at which the data reach the start value of a piece.
  const std::vector<Line>& lines = arrivals.lines();
  for (const Piece& piece : service.pieces()) {
    const Rational data = piece.value + less;
    if (data <= arrivals.burst()) continue;
    std::size_t i = 0;
    while (i < arrivals.breaks().size() && lines[i].burst + lines[i].rate * arrivals.breaks()[i] < data) ++i;
    if (lines[i].rate == 0) continue;
    maximum = std::max(maximum, Rational(piece.start - (data - lines[i].burst) / lines[i].rate));
  }
  return maximum;
}

std::optional<ServiceCurve> fifo_residual(const ServiceCurve& service, const ArrivalCurve& others) {
  if (others.is_nothing()) return service;
  if (others.rate() >= service.rate()) return std::nullopt;
  const Rational theta = *horizontal_distance(others, service);
  // g(w) = beta(theta + w) - alpha_x(w) is convex, at least 0, and 0 somewhere.
  std::vector<Rational> starts{0};
  for (const Piece& piece : service.pieces())
    if (piece.start > theta) starts.push_back(piece.start - theta);
  starts = merged(starts, others.breaks());
  std::vector<Rational> values;
  values.reserve(starts.size());
  for (const Rational& start : starts) values.push_back(service(theta + start) - others(start));
  std::size_t last = 0;
  for (std::size_t i = 0; i < starts.size(); ++i)
    if (values[i] <= values[last]) last = i;
  std::vector<Piece> pieces;
  for (std::size_t i = last; i < starts.size(); ++i) {
    const Rational slope = i + 1 < starts.size() ? (values[i + 1] - values[i]) / (starts[i + 1] - starts[i])
                                                 : service.rate() - others.rate();
    if (pieces.empty() || pieces.back().slope != slope)
      pieces.push_back({theta + starts[i], values[i] - values[last], slope});
  }
  return ServiceCurve(std::move(pieces));
}

std::optional<ServiceCurve> blind_residual(const ServiceCurve& service, const ArrivalCurve& others,
                                           const Rational& blocking) {
  if (others.is_nothing() && blocking == 0) return service;
  if (others.rate() >= service.rate()) return std::nullopt;
  std::vector<Rational> starts;
  for (const Piece& piece : service.pieces()) starts.push_back(piece.start);
  starts = merged(starts, others.breaks());
  const auto left = [&](const Rational& time) { return service(time) - others(time) - blocking; };
  // Convex and initially not above 0: it crosses 0 once.
  std::size_t i = 0;
  while (i + 1 < starts.size() && left(starts[i + 1]) <= 0) ++i;
  const auto slope_from = [&](std::size_t from) -> Rational {
    if (from + 1 == starts.size()) return service.rate() - others.rate();
    return (left(starts[from + 1]) - left(starts[from])) / (starts[from + 1] - starts[from]);
  };
  std::vector<Piece> pieces;
  const Rational slope = slope_from(i);
  pieces.push_back({starts[i] - left(starts[i]) / slope, 0, slope});
  for (++i; i < starts.size(); ++i)
    if (const Rational next = slope_from(i); next != pieces.back().slope)
      pieces.push_back({starts[i], left(starts[i]), next});
  return ServiceCurve(std::move(pieces));
}

std::optional<ArrivalCurve> departures(const ArrivalCurve& arrivals, const ServiceCurve& service) {
  if (arrivals.is_nothing()) return arrivals;
  if (arrivals.rate() > service.rate()) return std::nullopt;
  const std::vector<Line>& lines = arrivals.lines();
  const std::vector<Piece>& pieces = service.pieces();
  // u0, where the arrival rate falls to the service rate: the backlog is largest there. Pieces before it:
  // `used`.
  std::size_t line = 0, used = 0;
  Rational at = service.latency();
  const auto line_at = [&](const Rational& time) {
    return static_cast<std::size_t>(
        std::upper_bound(arrivals.breaks().begin(), arrivals.breaks().end(), time) -
        arrivals.breaks().begin());
  };
  line = line_at(at);
  while (lines[line].rate > pieces[used].slope) {
    const bool piece_ends = used + 1 < pieces.size() && (line == arrivals.breaks().size() ||
                                                         pieces[used + 1].start <= arrivals.breaks()[line]);
    at = piece_ends ? pieces[used + 1].start : arrivals.breaks()[line];
    line = line_at(at);
    if (piece_ends) ++used;
  }
  // From there t grows along the steeper of: more arrivals (forward) or less service (backward).
  std::vector<Line> result;
  Rational time = 0, value = arrivals(at) - service(at), forward = at, backward = at;
  std::size_t piece = used;
  while (true) {
    while (pieces[piece].start >= backward && piece > 0) --piece;
    const bool back = backward > pieces[piece].start && pieces[piece].slope > lines[line].rate;
    const Rational slope = back ? pieces[piece].slope : lines[line].rate;
    result.push_back({slope, value - slope * time});
    if (!back && line == arrivals.breaks().size()) break;
    const Rational step = back ? backward - pieces[piece].start : arrivals.breaks()[line] - forward;
    time = time + step;
    value = value + slope * step;
    if (back) {
      backward = pieces[piece].start;
    } else {
      forward = arrivals.breaks()[line];
      ++line;
    }
  }
  return ArrivalCurve(std::move(result));
}

}  // namespace tailbound::bounds
