#include <pybind11/numpy.h>
#include <python/module/columns.hpp>
#include <tailbound/core/cases.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/run/bytes.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

namespace tailbound::python {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_there = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t no_whole = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t no_text = std::numeric_limits<std::uint32_t>::max();

/// A number as doubles: the nearest one, and its interval, rounded outward; an unknown end is infinite.
/// Underflow is visible: 1e-400 is 0 within [0, 5e-324].
struct Doubles {
  double middle, lower, upper;
};

/// The adjacent double in one direction; `nearest` is the nearest one.
double outward(const numeric::Rational& value, double nearest, bool up) {
  if (std::isinf(nearest))
    return (nearest > 0) == up ? nearest : std::copysign(std::numeric_limits<double>::max(), nearest);
  const auto order = numeric::to_rational(nearest) <=> value;
  if (up && order < 0) return std::nextafter(nearest, infinity);
  if (!up && order > 0) return std::nextafter(nearest, -infinity);
  return nearest;
}

Doubles doubles_of(const numeric::Rational& value) {
  const double nearest = numeric::nearest_double(value);
  return {nearest, outward(value, nearest, false), outward(value, nearest, true)};
}

double to_double(const numeric::Real& value, mpfr_rnd_t rounding) {
  return mpfr_get_d(value.backend().data(), rounding);
}

Doubles doubles_of(const render::Enclosure& value) {
  const auto* lower = value.lower.backend().data();
  const auto* upper = value.upper.backend().data();
  Doubles found{not_there, mpfr_get_d(lower, MPFR_RNDD), mpfr_get_d(upper, MPFR_RNDU)};
  if (mpfr_number_p(lower) == 0 || mpfr_number_p(upper) == 0) {  // only one end is known
    found.middle = mpfr_number_p(lower) != 0 ? found.lower : found.upper;
    return found;
  }
  mpfr_t middle;
  mpfr_init2(middle, std::max(mpfr_get_prec(lower), mpfr_get_prec(upper)) + 64);
  mpfr_add(middle, lower, upper, MPFR_RNDN);
  mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
  found.middle = mpfr_get_d(middle, MPFR_RNDN);
  mpfr_clear(middle);
  return found;
}

Doubles doubles_of(const render::Bound& value) {
  Doubles found{0, -infinity, infinity};
  double& end = value.is_upper ? found.upper : found.lower;
  if (value.fraction)
    end = outward(*value.fraction, numeric::nearest_double(*value.fraction), value.is_upper);
  else
    end = to_double(value.value, value.is_upper ? MPFR_RNDU : MPFR_RNDD);
  found.middle = end;
  return found;
}

}  // namespace

// --- one column

void Columns::Column::fill(std::size_t rows) {
  if (size >= rows) return;
  size = rows;
  if (kind == Kind::whole) wholes.resize(rows, no_whole);
  if (kind == Kind::text) places.resize(rows, no_text);
  if (kind == Kind::given || kind == Kind::number)
    for (auto* each : {&middle, &lower, &upper}) each->resize(rows, not_there);
}

/// From now on the column holds values of both kinds.
void Columns::Column::become(Kind wanted) {
  if (wanted == Kind::none || wanted == kind) return;
  const std::size_t rows = std::exchange(size, 0);
  // Inputs are stored without ends, so they cannot be mixed with numbers that have ends.
  const bool numbers =
      (kind == Kind::whole && wanted <= Kind::number) || (wanted == Kind::whole && kind <= Kind::number);
  if (kind == Kind::none) {
    kind = wanted;
  } else if (!numbers) {
    *this = {.key = key, .kind = Kind::other};
  } else {
    for (const std::int64_t whole : std::exchange(wholes, {})) {
      const Doubles as =
          whole == no_whole ? Doubles{not_there, not_there, not_there} : doubles_of(numeric::Rational(whole));
      middle.push_back(as.middle);
      lower.push_back(as.lower);
      upper.push_back(as.upper);
    }
    kind = std::max(kind, wanted);
  }
  fill(rows);
}

std::uint32_t Columns::Column::place_of(const std::string& text) {
  const auto [found, is_new] = place_of_text.try_emplace(text, static_cast<std::uint32_t>(texts.size()));
  if (is_new) texts.push_back(text);
  return found->second;
}

void Columns::Column::put(const render::Value& value) {
  const std::size_t row = size;
  const auto number = [&](Doubles as, Kind of = Kind::number) {
    become(of);
    fill(row + 1);
    if (kind == Kind::other) return;
    middle.back() = as.middle;
    lower.back() = as.lower;
    upper.back() = as.upper;
  };
  const auto interval = [&](Doubles as) {
    number(as);
    intervals = true;
  };
  std::visit(Cases{[&](const render::None&) { fill(row + 1); },
                   [&](const render::Whole& it) {
                     if (kind == Kind::given || kind == Kind::number)
                       return number(doubles_of(numeric::Rational(it.value)), kind);
                     become(Kind::whole);
                     fill(row + 1);
                     if (kind == Kind::whole) wholes.back() = it.value;
                   },
                   [&](const render::Given& it) {
                     const double nearest = numeric::nearest_double(it.value);
                     number({nearest, nearest, nearest}, Kind::given);
                   },
                   [&](const render::Text& it) {
                     become(Kind::text);
                     fill(row + 1);
                     if (kind == Kind::text) places.back() = place_of(it.text);
                   },
                   [&](const render::Exact& it) { interval(doubles_of(it.value)); },
                   [&](const render::Enclosure& it) {
                     const Doubles as = doubles_of(it);
                     std::isinf(as.lower) || std::isinf(as.upper) ? number(as) : interval(as);
                   },
                   [&](const render::Bound& it) { number(doubles_of(it)); },
                   [&](const render::Approximation& it) {
                     number({to_double(it.value, MPFR_RNDN), -infinity, infinity});
                   },
                   [&](const render::Asymptote& it) {
                     number({it.value, -infinity, infinity});
                   },
                   [&](const render::Model& it) {
                     number({it.value, -infinity, infinity});
                   },
                   [&](const render::Estimate& it) {
                     interval({it.value, it.lower, it.upper});
                   },
                   [&](const auto&) {
                     become(Kind::other);
                     kind = Kind::other;
                     fill(row + 1);
                   }},
             value);
}

void Columns::Column::append(Column other) {
  const Kind mine = kind;
  become(other.kind);
  other.become(mine);
  intervals = intervals || other.intervals;
  size += other.size;
  wholes.insert(wholes.end(), other.wholes.begin(), other.wholes.end());
  middle.insert(middle.end(), other.middle.begin(), other.middle.end());
  lower.insert(lower.end(), other.lower.begin(), other.lower.end());
  upper.insert(upper.end(), other.upper.begin(), other.upper.end());
  if (kind != Kind::text) return;
  std::vector<std::uint32_t> moved;
  for (const std::string& text : other.texts) moved.push_back(place_of(text));
  for (const std::uint32_t place : other.places)
    places.push_back(place == no_text ? no_text : moved.at(place));
}

// --- all of them

Columns::Column& Columns::column_of(const std::string& key) {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::size_t at = (next_ + i) % columns_.size();
    if (columns_[at].key != key) continue;
    next_ = at + 1;
    return columns_[at];
  }
  next_ = columns_.size() + 1;
  columns_.push_back({.key = key});
  columns_.back().fill(rows_);
  return columns_.back();
}

void Columns::add(const render::Cells& inputs, const render::Cells& found) {
  next_ = 0;
  for (const render::Cell& cell : inputs) column_of(cell.key);  // inputs come first
  for (const render::Cell& cell : found) column_of(cell.key).put(cell.value);
  next_ = 0;
  for (const render::Cell& cell : inputs)
    if (Column& column = column_of(cell.key); column.size == rows_) column.put(cell.value);
  ++rows_;
  for (Column& column : columns_) column.fill(rows_);
}

void Columns::append(const Columns& other) {
  for (const Column& column : other.columns_) column_of(column.key).append(column);
  rows_ += other.rows_;
  for (Column& column : columns_) column.fill(rows_);
}

std::string Columns::to_bytes() const {
  run::ByteWriter bytes;
  bytes.put<std::uint64_t>(rows_);
  bytes.put<std::uint64_t>(columns_.size());
  for (const Column& column : columns_) {
    bytes.put(std::string_view(column.key));
    bytes.put(static_cast<std::uint8_t>(column.kind));
    bytes.put(column.intervals);
    bytes.put(column.wholes);
    for (const auto* each : {&column.middle, &column.lower, &column.upper}) bytes.put(*each);
    bytes.put(column.places);
    bytes.put<std::uint64_t>(column.texts.size());
    for (const std::string& text : column.texts) bytes.put(std::string_view(text));
  }
  return bytes.take();
}

Columns Columns::from_bytes(std::string_view bytes) {
  run::ByteReader reader(bytes);
  Columns made;
  made.rows_ = reader.get<std::uint64_t>();
  const auto count = reader.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < count; ++i) {
    Column& column = made.columns_.emplace_back();
    column.key = reader.get_text();
    column.kind = static_cast<Kind>(reader.get<std::uint8_t>());
    column.intervals = reader.get<bool>();
    column.size = made.rows_;
    column.wholes = reader.get_vector<std::int64_t>();
    for (auto* each : {&column.middle, &column.lower, &column.upper}) *each = reader.get_vector<double>();
    column.places = reader.get_vector<std::uint32_t>();
    const auto texts = reader.get<std::uint64_t>();
    for (std::uint64_t j = 0; j < texts; ++j) static_cast<void>(column.place_of(reader.get_text()));
    const Kind kind = column.kind;
    const std::size_t numbers = kind == Kind::given || kind == Kind::number ? made.rows_ : 0;
    if (column.wholes.size() != (kind == Kind::whole ? made.rows_ : 0) ||
        column.places.size() != (kind == Kind::text ? made.rows_ : 0) || column.middle.size() != numbers ||
        column.lower.size() != numbers || column.upper.size() != numbers)
      run::ByteReader::fail();
  }
  return made;
}

std::vector<std::string> Columns::keys() const {
  std::vector<std::string> all;
  for (const Column& column : columns_) all.push_back(column.key);
  return all;
}

// --- for Python

namespace {

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// As integers if every row has a value.
py::object wholes_of(const std::vector<std::int64_t>& wholes) {
  if (std::find(wholes.begin(), wholes.end(), no_whole) == wholes.end()) return array_of(wholes);
  std::vector<double> numbers;
  for (const std::int64_t whole : wholes)
    numbers.push_back(whole == no_whole ? not_there : static_cast<double>(whole));
  return array_of(numbers);
}

py::list texts_of(const std::vector<std::uint32_t>& places, const std::vector<std::string>& texts) {
  std::vector<py::str> made(texts.begin(), texts.end());
  py::list list(places.size());
  const py::float_ none(not_there);
  for (std::size_t i = 0; i < places.size(); ++i)
    list[i] = places[i] == no_text ? py::object(none) : py::object(made.at(places[i]));
  return list;
}

}  // namespace

py::tuple Columns::column(const std::string& key) const {
  const auto found =
      std::find_if(columns_.begin(), columns_.end(), [&](const Column& each) { return each.key == key; });
  if (found == columns_.end()) throw py::key_error(key);
  const Column& column = *found;
  switch (column.kind) {
    case Kind::none:
      return py::make_tuple("none");
    case Kind::whole:
      return py::make_tuple("whole", wholes_of(column.wholes));
    case Kind::given:
      return py::make_tuple("given", array_of(column.middle));
    case Kind::number:
      return py::make_tuple("number", array_of(column.middle), array_of(column.lower), array_of(column.upper),
                            column.intervals);
    case Kind::text:
      return py::make_tuple("text", texts_of(column.places, column.texts));
    case Kind::other:
      break;
  }
  return py::make_tuple("other");
}

}  // namespace tailbound::python
