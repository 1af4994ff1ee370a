#pragma once

#include <reproduce/figure.hpp>

#include <map>
#include <string>

/// The index.html of a folder of figures: each figure with the statements of its paper.
namespace tailbound::figures {

/// A section a figure; those of earlier runs into the same folder stay.
class Index {
 public:
  /// \param former  what is in the folder; empty if there is none
  /// \pre is_generated(former)
  explicit Index(const std::string& former);

  /// Was the page made here, or is it empty?
  [[nodiscard]] static bool is_generated(const std::string& page);

  /// Replaces the section of the figure.
  void put(const Figure& figure, const Result& result, bool quick, const std::string& version);

  /// \param version  of the program that writes it
  [[nodiscard]] std::string page(const std::string& version) const;

 private:
  std::map<std::string, std::string> sections_;  ///< by the name of their figure
};

}  // namespace tailbound::figures
