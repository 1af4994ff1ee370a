#pragma once

#include <cli/plots.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// What a published figure is to the command `reproduce`. Each paper has one file, reproduce_PAPER.cpp, which
/// returns its figures; all_figures() lists the papers.
namespace tailbound::cli::reproduce {

/// One statement of the paper against what was computed. Every number in `computed` comes from the
/// computation that has just run.
struct Finding {
  std::string subject;         ///< in a few words
  std::string claim;           ///< what the paper says, in our words
  std::string published;       ///< its number, or that it prints none
  std::string computed;        ///< and by what measure the two agree
  std::optional<bool> agrees;  ///< empty: there is nothing to compare with
};

/// A figure, computed.
struct Result {
  std::string csv;
  plots::Picture picture;
  std::string computed;               ///< models and parameters, in sentences
  std::vector<std::string> commands;  ///< that print the same numbers
  std::vector<Finding> findings;
};

struct Request {
  bool quick = false;  ///< fewer points, shorter simulations; the findings stay
  /// As Context::progress; empty where no progress is wanted.
  std::function<void(std::size_t done, std::size_t all)> progress{};

  void report(std::size_t done, std::size_t all) const {
    if (progress) progress(done, all);
  }
};

struct Figure {
  std::string name;    ///< of its files and on the command line: "singh-dally-5"
  std::string paper;   ///< short name, shared by all its figures: "singh-dally"
  std::string title;   ///< "Figure 5: ..."
  std::string source;  ///< author, year, section
  std::string shows;   ///< what the paper shows, in our words
  std::function<Result(const Request&)> compute;
};

/// Of all papers, in the order of the README.
[[nodiscard]] const std::vector<Figure>& all_figures();

}  // namespace tailbound::cli::reproduce
