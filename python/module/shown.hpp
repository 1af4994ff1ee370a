#pragma once

#include <cli/command.hpp>
#include <python/module/columns.hpp>
#include <python/module/work.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// An answer as Python holds it; its document is created on first access.
namespace tailbound::python {

class Shown {
 public:
  explicit Shown(cli::Reply reply);
  /// \param make  called with Arithmetic held, once
  explicit Shown(std::function<cli::Reply()> make);
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  /// The output of the command.  \param format  "table", "json", "csv", "markdown" or "html"
  [[nodiscard]] std::string written(const std::string& format, bool quiet) const;
  /// The document without its tables, as a dict; values are described in shown.cpp.
  [[nodiscard]] py::dict content() const;
  /// The rows of a table of a result, each a list of (key, value).
  [[nodiscard]] py::list table(std::size_t result, std::size_t table) const;
  /// One row per result: parameters and results.
  [[nodiscard]] Columns columns() const;
  /// The same for a table of a result.
  [[nodiscard]] Columns table_columns(std::size_t result, std::size_t table) const;
  /// As a dict.  \throws NoAnswer  there is nothing to draw
  [[nodiscard]] py::dict picture() const;
  [[nodiscard]] std::string svg() const;

 private:
  struct Held {
    std::function<cli::Reply()> make;
    std::optional<cli::Reply> made;
    const cli::Reply& reply();
  };
  std::shared_ptr<Held> held_;
};

/// Standalone values, in the form of content(); None if missing. Empties `values`.
[[nodiscard]] py::list to_python(const std::shared_ptr<std::vector<std::optional<render::Value>>>& values);

}  // namespace tailbound::python
