#pragma once

#include <reproduce/figure.hpp>

#include <map>
#include <string>

/// The README.md of a folder of figures.
namespace tailbound::figures {

/// A section a figure; those of earlier runs into the same folder stay.
class Readme {
 public:
  /// \param former  what is in the folder; empty if there is none
  /// \pre is_generated(former)
  explicit Readme(const std::string& former);

  /// Was the text made here, or is it empty?
  [[nodiscard]] static bool is_generated(const std::string& text);

  /// Replaces the section of the figure.
  void put(const Figure& figure, const Result& result, bool quick, const std::string& version);

  [[nodiscard]] std::string text() const;

 private:
  std::map<std::string, std::string> sections_;  ///< by the name of their figure
};

}  // namespace tailbound::figures
