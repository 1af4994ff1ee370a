#pragma once

#include <cli/command.hpp>
#include <python/module/columns.hpp>
#include <python/module/work.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  /// Number of results.
  [[nodiscard]] std::size_t size() const;
  /// The document without its tables, as a dict; values are described in shown.cpp.
  [[nodiscard]] py::dict content(bool with_results) const;
  /// The rows of a table of a result, each a list of (key, value).
  [[nodiscard]] py::list table(std::size_t result, std::size_t table) const;
  /// One row per result: parameters, results and percentiles.
  [[nodiscard]] Columns columns() const;
  /// The same for these results of a list.
  [[nodiscard]] Columns columns_of(const std::vector<std::size_t>& rows) const;
  /// The results of a list without an answer: (number, reason) of each.
  [[nodiscard]] std::vector<std::pair<std::size_t, std::string>> refused() const;
  /// One result of a list.
  [[nodiscard]] std::shared_ptr<Shown> part(std::size_t row) const;
  /// A key of these results, in the form of content(); None if missing.
  [[nodiscard]] py::list values(const std::string& key, const std::vector<std::size_t>& rows) const;
  /// The same for a table of a result.
  [[nodiscard]] Columns table_columns(std::size_t result, std::size_t table) const;
  /// As a dict.  \throws NoAnswer  there is nothing to draw
  [[nodiscard]] py::dict picture() const;
  [[nodiscard]] std::string svg() const;

 private:
  struct Held {
    std::function<cli::Reply()> make;
    std::optional<cli::Reply> made;
    std::optional<std::vector<const render::Column*>> varying;  ///< inputs that differ between results
    const cli::Reply& reply();
    /// "load 0.97, target 1e-14"
    std::string title_of(const render::Result& result);
  };
  std::shared_ptr<Held> held_;
};

}  // namespace tailbound::python
