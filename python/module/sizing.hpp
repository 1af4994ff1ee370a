#pragma once

#include <python/module/columns.hpp>
#include <python/module/shown.hpp>
#include <tailbound/answers/buffer/buffer.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// Sizes of buffers asked one after the other or by the hundred thousand, without the options of the command:
/// equal inputs that are independent from slot to slot, which take microseconds.
namespace tailbound::python {

/// The answer of `buffer` to these keywords, or None where the command itself must be asked: for anything that is not
/// plain and quick, and for all that is refused.
[[nodiscard]] py::object size_buffer(const py::dict& given);

/// Many sizes. What was answered is kept as bytes, and read when it is looked at.
class Sizings {
 public:
  /// \param columns  of the same keywords: a number or text for all, or an array or list of `count` of them
  /// \return None where the command must be asked for any of them
  [[nodiscard]] static py::object made(const py::dict& columns, std::size_t count);
  Sizings() = default;
  Sizings(const Sizings&) = delete;
  Sizings& operator=(const Sizings&) = delete;
  ~Sizings();

  /// Answers all, on so many processes.
  /// \return whether Ctrl-C has cut it short: some have no answer then
  bool answer(int processes, const py::object& progress);
  [[nodiscard]] std::size_t size() const;
  /// Of one of them; None where it has no answer.
  [[nodiscard]] py::object at(std::size_t place) const;
  /// Of the first `most` that have an answer, as one document.
  [[nodiscard]] py::object together(std::size_t most) const;
  /// Packets; -1 where there is no answer.
  [[nodiscard]] py::object buffers() const;
  /// A row for each that has an answer; made with the answers.
  [[nodiscard]] const Columns& columns() const;
  /// The value of a key of each, as content() writes it; None where there is none.
  [[nodiscard]] py::list values(const std::string& key) const;
  /// Seconds of a loop in C++ over the same questions, which keeps nothing: what the rest is measured by.
  [[nodiscard]] double seconds_of_loop(int processes) const;

 private:
  struct Kept;
  std::shared_ptr<Kept> kept_;
};

}  // namespace tailbound::python
