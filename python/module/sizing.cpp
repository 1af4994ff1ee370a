#include <python/module/sizing.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/options/read.hpp>
#include <tailbound/render/documents/buffer/buffer.hpp>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace tailbound::python {

namespace {

using answers::BufferAnswer;
using answers::BufferQuery;
using numeric::Rational;

/// The query is not handled here: the command answers it, or reports the error.
struct NotHere {};

/// A number from Python.
using Given = std::variant<double, std::int64_t, std::string>;

std::string text_of(const py::handle& object) {
  Py_ssize_t size = 0;
  const char* text =
      PyUnicode_Check(object.ptr()) == 0 ? nullptr : PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    throw NotHere();
  }
  return {text, static_cast<std::size_t>(size)};
}

Given given_of(const py::handle& object) {
  if (PyFloat_Check(object.ptr()) != 0) return PyFloat_AS_DOUBLE(object.ptr());
  if (PyBool_Check(object.ptr()) != 0) throw NotHere();
  if (PyLong_Check(object.ptr()) != 0) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow != 0) throw NotHere();
    return static_cast<std::int64_t>(value);
  }
  // Fractions, decimals and numpy numbers have been converted to text (_commands.py).
  if (PyUnicode_Check(object.ptr()) == 0) throw NotHere();
  return text_of(object);
}

Rational rational(const Given& given) {
  if (const auto* real = std::get_if<double>(&given)) {
    if (!std::isfinite(*real)) throw NotHere();
    return numeric::shortest_decimal(*real);
  }
  if (const auto* whole = std::get_if<std::int64_t>(&given)) return Rational(static_cast<long>(*whole));
  const std::string& text = std::get<std::string>(given);
  if (text.find_first_not_of("0123456789.eE+-/") != std::string::npos) throw NotHere();
  return numeric::parse_rational(text, "number");
}

std::int64_t integer(const Given& given) {
  if (const auto* whole = std::get_if<std::int64_t>(&given)) return *whole;
  return numeric::to_integer(rational(given), "number", -1, std::int64_t{1} << 50);
}

/// The keywords handled here.
struct Requested {
  std::optional<Given> inputs, load, drop, capacity, packets_per_slot;
  bounds::Criterion criterion = bounds::Criterion::overflow;

  explicit Requested(const py::dict& given) {
    for (const auto& [key, value] : given) {
      const std::string name = text_of(key);
      if (name == "inputs")
        inputs = given_of(value);
      else if (name == "load")
        load = given_of(value);
      else if (name == "drop")
        drop = given_of(value);
      else if (name == "capacity")
        capacity = given_of(value);
      else if (name == "packets_per_slot")
        packets_per_slot = given_of(value);
      else if (name == "criterion")
        criterion = options::choice_of<bounds::Criterion>(text_of(value), "criterion");
      else
        throw NotHere();
    }
    if (!inputs || !load || drop.has_value() == capacity.has_value()) throw NotHere();
  }
};

/// The query; none if the queue is unstable.
std::optional<BufferQuery> query(std::int64_t inputs, Rational load, const std::optional<Rational>& drop,
                                 std::int64_t capacity, std::int64_t served, bounds::Criterion criterion) {
  if (inputs < 1 || inputs > answers::EqualInputs::maximum || served < 1 ||
      served > answers::Traffic::max_packets_per_slot || load <= 0)
    throw NotHere();
  if (drop ? *drop <= 0 || *drop >= 1 : capacity < 0 || capacity > BufferQuery::deepest) throw NotHere();
  if (load >= served) return std::nullopt;
  BufferQuery requested{.traffic = {.source = answers::EqualInputs{inputs, std::move(load)},
                                    .packets_per_slot = static_cast<int>(served)},
                        .requested = {},
                        .criterion = criterion};
  if (drop)
    requested.requested = answers::MinBuffer{*drop};
  else
    requested.requested = answers::ProbabilityOf{Packets(capacity)};
  return requested;
}

/// Does it take much less than a second? Ctrl-C is not handled meanwhile.
bool quick(const BufferQuery& query) {
  static const Rational min_drop = numeric::parse_rational("1e-100", "drop");
  const auto& inputs = std::get<answers::EqualInputs>(query.traffic.source);
  if (inputs.inputs > 4096 || *inputs.load * 1000 > query.traffic.packets_per_slot * 999) return false;
  if (const auto* requested = std::get_if<answers::ProbabilityOf>(&query.requested))
    return requested->capacity.value <= 10'000;
  return *query.drop() >= min_drop;
}

struct Point {
  BufferQuery query;
  BufferAnswer answer;
};

cli::Reply reply_of(const std::shared_ptr<Point>& point) {
  return {.document = render::document({{point->query, point->answer}})};
}

}  // namespace

py::object size_buffer(const py::dict& given) {
  try {
    const Requested requested(given);
    std::shared_ptr<Point> point;
    {
      const py::gil_scoped_release released;
      const Arithmetic arithmetic(std::try_to_lock);
      std::optional<BufferQuery> requests =
          query(integer(*requested.inputs), rational(*requested.load),
                requested.drop ? std::optional(rational(*requested.drop)) : std::nullopt,
                requested.capacity ? integer(*requested.capacity) : 0,
                requested.packets_per_slot ? integer(*requested.packets_per_slot) : 1, requested.criterion);
      if (!requests || !quick(*requests)) throw NotHere();
      BufferAnswer answer = answers::answer(*requests);
      point = std::make_shared<Point>(Point{std::move(*requests), std::move(answer)});
    }
    return py::cast(std::make_shared<Shown>([point = std::move(point)] { return reply_of(point); }));
  } catch (const NotHere&) {
  } catch (const Arithmetic::Busy&) {
  } catch (const Error&) {  // the command reports it
  }
  return py::none();
}

}  // namespace tailbound::python
