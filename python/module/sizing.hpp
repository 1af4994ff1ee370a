#pragma once

#include <python/module/columns.hpp>
#include <python/module/shown.hpp>
#include <tailbound/answers/buffer/buffer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Buffer sizes for single calls or arrays of hundreds of thousands, without the command's option parsing:
/// identical inputs with independent slots, which take microseconds.
namespace tailbound::python {

/// The answer of `buffer` to these keywords, or None if the command itself must run: for any query that is
/// not simple and fast, and for all errors.
[[nodiscard]] py::object size_buffer(const py::dict& given);

/// Many sizes. Answers are stored as bytes, and decoded on access.
class Sizings {
 public:
  /// \param columns  by keyword: a number or text for all, or an array or list of `count` values
  /// \return None if any of them needs the command
  [[nodiscard]] static py::object made(const py::dict& columns, std::size_t count);
  Sizings() = default;
  Sizings(const Sizings&) = delete;
  Sizings& operator=(const Sizings&) = delete;

  /// Computes all, with a number of worker processes.
  /// \return whether Ctrl-C has stopped it: some then have no answer
  bool answer(int processes, const py::object& progress);
  [[nodiscard]] std::size_t size() const;
  /// The answer of one; None if it has none.
  [[nodiscard]] py::object at(std::size_t place) const;
  /// The first `maximum` answers as one document.
  [[nodiscard]] py::object together(std::size_t maximum) const;
  /// Packets; -1 if there is no answer.
  [[nodiscard]] py::object buffers() const;
  /// One row per answer; created with the answers.
  [[nodiscard]] const Columns& columns() const;
  /// The values of a key, in the form of content(); None if missing.
  [[nodiscard]] py::list values(const std::string& key) const;
  /// Seconds of a C++ loop over the same queries that stores nothing: the reference for measurements.
  [[nodiscard]] double seconds_of_loop(int processes) const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

}  // namespace tailbound::python
