#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <python/module/sizing.hpp>
#include <tailbound/answers/points/stored.hpp>
#include <tailbound/numeric/rational.hpp>
#include <tailbound/numeric/text/decimal.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/options/read.hpp>
#include <tailbound/render/documents/buffer/buffer.hpp>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/executor.hpp>
#include <tailbound/run/process/child_process.hpp>
#include <tailbound/run/processes.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
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
template <class Number>
struct Requested {
  std::optional<Number> inputs, load, drop, capacity, packets_per_slot;
  bounds::Criterion criterion = bounds::Criterion::overflow;

  /// \param number_of  (handle) -> Number
  template <class NumberOf>
  void read(const py::dict& given, const NumberOf& number_of) {
    for (const auto& [key, value] : given) {
      const std::string name = text_of(key);
      if (name == "inputs")
        inputs = number_of(value);
      else if (name == "load")
        load = number_of(value);
      else if (name == "drop")
        drop = number_of(value);
      else if (name == "capacity")
        capacity = number_of(value);
      else if (name == "packets_per_slot")
        packets_per_slot = number_of(value);
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
    Requested<Given> requested;
    requested.read(given, given_of);
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

// --- many

namespace {

/// One value for all, or one each.
struct Column {
  std::vector<Given> numbers;
  [[nodiscard]] const Given& at(std::size_t i) const {
    return numbers.size() == 1 ? numbers.front() : numbers.at(i);
  }
};

Column column_of(const py::handle& object) {
  Column column;
  if (py::isinstance<py::array>(object)) {
    const auto array = py::reinterpret_borrow<py::array>(object);
    if (array.ndim() != 1) throw NotHere();
    if (py::isinstance<py::array_t<double>>(array)) {
      const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>(array);
      column.numbers.assign(numbers.data(), numbers.data() + numbers.size());
      return column;
    }
    if (py::isinstance<py::array_t<std::int64_t>>(array)) {
      const auto numbers = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>(array);
      column.numbers.assign(numbers.data(), numbers.data() + numbers.size());
      return column;
    }
    throw NotHere();
  }
  if (PyList_Check(object.ptr()) != 0) {
    for (const py::handle each : py::reinterpret_borrow<py::list>(object))
      column.numbers.push_back(given_of(each));
    return column;
  }
  column.numbers.push_back(given_of(object));
  return column;
}

/// Each record begins with the buffer, usually the only value read; an empty record means no answer.
std::string record_of(const BufferAnswer& answer) {
  std::string record(sizeof(std::int64_t), '\0');
  std::memcpy(record.data(), &answer.buffer.value, sizeof(std::int64_t));
  return record += answers::to_bytes(answer);
}

/// Queries per piece of work.
constexpr std::size_t chunk = 512;

/// Answers of one piece of work, with their numbers as columns, created by the worker so that all cores share
/// the effort.
struct Answered {
  std::vector<std::string> records{};
  Columns columns{};

  void add(const std::optional<BufferQuery>& query) {
    records.emplace_back();
    if (!query) return;
    try {
      const render::BufferPoint point{*query, answers::answer(*query)};
      const render::Result shown = render::buffer_result(point);
      columns.add(shown.inputs, shown.cells);
      records.back() = record_of(point.second);
    } catch (const Error&) {
    }
  }
  [[nodiscard]] std::string to_bytes() const {
    run::ByteWriter bytes;
    bytes.put(std::string_view(columns.to_bytes()));
    for (const std::string& record : records) bytes.put(std::string_view(record));
    return bytes.take();
  }
  static Answered from_bytes(std::string_view bytes) {
    run::ByteReader reader(bytes);
    Answered made{.columns = Columns::from_bytes(reader.get_text())};
    while (!reader.at_end()) made.records.push_back(reader.get_text());
    return made;
  }
};

}  // namespace

struct Sizings::Kept {
  std::vector<std::optional<BufferQuery>> queries;  ///< none if the queue is unstable
  std::vector<std::string> records;                 ///< empty if there is no answer
  Columns columns;                                  ///< one row per answer

  [[nodiscard]] std::optional<BufferAnswer> answer(std::size_t place) const {
    const std::string& record = records.at(place);
    if (record.empty()) return std::nullopt;
    return answers::from_bytes<BufferAnswer>(std::string_view(record).substr(sizeof(std::int64_t)));
  }
};

py::object Sizings::made(const py::dict& columns, std::size_t count) {
  try {
    Requested<Column> requested;
    requested.read(columns, column_of);
    const auto kept = std::make_shared<Kept>();
    {
      const py::gil_scoped_release released;
      const Arithmetic arithmetic(std::try_to_lock);
      const auto rationals = [&](const std::optional<Column>& column) {
        std::vector<Rational> list;
        if (!column) return list;
        if (column->numbers.size() != 1 && column->numbers.size() != count) throw NotHere();
        for (const Given& number : column->numbers) list.push_back(rational(number));
        return list;
      };
      const auto of = [](const std::vector<Rational>& list, std::size_t i) {
        return list.size() == 1 ? list.front() : list.at(i);
      };
      const std::vector<Rational> loads = rationals(requested.load), drops = rationals(requested.drop);
      kept->queries.reserve(count);
      for (std::size_t i = 0; i < count; ++i)
        kept->queries.push_back(
            query(integer(requested.inputs->at(i)), of(loads, i),
                  drops.empty() ? std::nullopt : std::optional(of(drops, i)),
                  requested.capacity ? integer(requested.capacity->at(i)) : 0,
                  requested.packets_per_slot ? integer(requested.packets_per_slot->at(i)) : 1,
                  requested.criterion));
    }
    auto sizings = std::make_unique<Sizings>();
    sizings->kept_ = kept;
    return py::cast(std::move(sizings));
  } catch (const NotHere&) {
  } catch (const Arithmetic::Busy&) {
  } catch (const Error&) {
  } catch (const std::out_of_range&) {
  }
  return py::none();
}

bool Sizings::answer(int processes, const py::object& progress) {
  const Cut cut = carry_out(
      [kept = kept_, processes](const answers::Run& requested) {
        const std::size_t count = kept->queries.size();
        const run::Job job{.identity = "sizings",
                           .pieces = (count + chunk - 1) / chunk,
                           .work =
                               [&kept, count](std::size_t number, std::string_view, run::PieceMonitor&) {
                                 Answered answered;
                                 for (std::size_t i = number * chunk;
                                      i < std::min(count, (number + 1) * chunk); ++i)
                                   answered.add(kept->queries[i]);
                                 return run::Piece{.bytes = answered.to_bytes(), .finished = true};
                               },
                           .attentive = false};
        const run::Outcome outcome = run::Processes(processes).carry_out(
            job, {.stop = requested.stop, .progress = [&requested](const run::Progress& so_far) {
                    if (requested.progress) requested.progress(so_far.done, so_far.left.count());
                  }});
        kept->records.clear();
        kept->columns = {};
        kept->records.reserve(count);
        for (const run::Piece& piece : outcome.pieces) {
          if (!piece.finished) {
            kept->records.resize(std::min(count, kept->records.size() + chunk));
            continue;
          }
          Answered answered = Answered::from_bytes(piece.bytes);
          kept->columns.append(answered.columns);
          std::move(answered.records.begin(), answered.records.end(), std::back_inserter(kept->records));
        }
      },
      progress);
  return cut.requested;
}

std::size_t Sizings::size() const {
  return kept_->queries.size();
}

py::object Sizings::at(std::size_t place) const {
  if (kept_->records.at(place).empty()) return py::none();
  return py::cast(std::make_shared<Shown>([kept = kept_, place]() -> cli::Reply {
    return {.document = render::document({{*kept->queries[place], *kept->answer(place)}})};
  }));
}

py::object Sizings::together(std::size_t maximum) const {
  return py::cast(std::make_shared<Shown>([kept = kept_, maximum]() -> cli::Reply {
    std::vector<render::BufferPoint> points;
    for (std::size_t i = 0; i < kept->queries.size() && points.size() < maximum; ++i)
      if (auto answer = kept->answer(i)) points.emplace_back(*kept->queries[i], std::move(*answer));
    if (points.empty()) throw NoAnswer("no point has an answer");
    return {.document = render::document(points)};
  }));
}

py::object Sizings::buffers() const {
  py::array_t<std::int64_t> array(static_cast<py::ssize_t>(kept_->records.size()));
  std::int64_t* packets = array.mutable_data();
  for (const std::string& record : kept_->records) {
    std::int64_t buffer = -1;
    if (!record.empty()) std::memcpy(&buffer, record.data(), sizeof buffer);
    *packets++ = buffer;
  }
  return array;
}

const Columns& Sizings::columns() const {
  return kept_->columns;
}

py::list Sizings::values(const std::string& key) const {
  const auto values = std::make_shared<std::vector<std::optional<render::Value>>>();
  show([kept = kept_, values, key] {
    for (std::size_t i = 0; i < kept->records.size(); ++i) {
      std::optional<render::Value>& value = values->emplace_back();
      auto answer = kept->answer(i);
      if (!answer) continue;
      const render::Result result = render::buffer_result({*kept->queries[i], std::move(*answer)});
      value = render::value_of(result.cells, key);
      if (std::holds_alternative<render::None>(*value)) value = render::value_of(result.inputs, key);
    }
  });
  return to_python(values);
}

double Sizings::seconds_of_loop(int processes) const {
  const py::gil_scoped_release released;
  const Arithmetic arithmetic;
  const auto begun = std::chrono::steady_clock::now();
  const std::size_t count = kept_->queries.size();
  const auto loop = [&](int part) {
    for (std::size_t i = static_cast<std::size_t>(part); i < count;
         i += static_cast<std::size_t>(processes)) {
      try {
        if (kept_->queries[i]) static_cast<void>(answers::answer(*kept_->queries[i]));
      } catch (const Error&) {
      }
    }
  };
  std::vector<std::unique_ptr<run::ChildProcess>> children;
  for (int part = 1; part < processes; ++part)
    children.push_back(std::make_unique<run::ChildProcess>([&loop, part](run::FramedStream&) {
      loop(part);
      return 0;
    }));
  loop(0);
  for (const auto& child : children) child->wait();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

}  // namespace tailbound::python
