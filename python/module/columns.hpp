#pragma once

#include <pybind11/pybind11.h>
#include <tailbound/render/document.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The values of many results, key by key, as arrays that numpy uses directly.
namespace tailbound::python {

namespace py = pybind11;

/// Columns with one row per result. Rows may have different keys.
class Columns {
 public:
  /// \param rows  without any value
  explicit Columns(std::size_t rows = 0) : rows_(rows) {}
  /// Adds a row. If a key is in both, `found` takes precedence.
  void add(const render::Cells& inputs, const render::Cells& found);
  /// Appends the rows of `other`.
  void append(const Columns& other);
  [[nodiscard]] std::size_t rows() const { return rows_; }

  [[nodiscard]] std::string to_bytes() const;
  /// \throws ParseError  bytes that were not made by to_bytes()
  [[nodiscard]] static Columns from_bytes(std::string_view bytes);

  /// In the order of their first appearance.
  [[nodiscard]] std::vector<std::string> keys() const;
  /// A tuple that begins with the kind of values; NaN marks rows without one:
  ///   ("whole", int64 or float64)  ("given", float64)  ("number", middle, lower, upper, intervals)
  ///   ("text", list)               ("none",)           ("other",): lists and mixtures, which are not stored
  ///   here
  /// `intervals`: does any of them have an interval?
  /// \throws pybind11::key_error  unknown key
  [[nodiscard]] py::tuple column(const std::string& key) const;

 private:
  enum class Kind : std::uint8_t { none, whole, given, number, text, other };
  struct Column {
    std::string key;
    Kind kind = Kind::none;
    bool intervals = false;
    std::size_t size = 0;
    std::vector<std::int64_t> wholes{};              ///< of `whole`
    std::vector<double> middle{}, lower{}, upper{};  ///< of `given` and `number`
    std::vector<std::uint32_t> places{};             ///< of `text`, in `texts`
    std::vector<std::string> texts{};
    std::unordered_map<std::string, std::uint32_t> place_of_text{};

    void fill(std::size_t rows);
    void become(Kind wanted);
    void put(const render::Value& value);
    void append(Column other);
    [[nodiscard]] std::uint32_t place_of(const std::string& text);
  };

  Column& column_of(const std::string& key);

  std::vector<Column> columns_;
  std::size_t rows_ = 0;
  std::size_t next_ = 0;  ///< search for the next key starts here: rows share the order
};

}  // namespace tailbound::python
