#pragma once

#include <cli/run.hpp>

#include <iomanip>
#include <map>
#include <sstream>
#include <string>
#include <vector>

/// Runs one command line in process.
namespace tailbound::golden {

struct Outcome {
  int status = 0;
  std::string out, err;
};

/// \param also  the same answer in these formats: filled
inline Outcome run_command(std::vector<std::string> arguments,
                           std::map<std::string, std::string>* also = nullptr) {
  arguments.insert(arguments.begin(), "tailbound");
  std::vector<const char*> argv;
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  std::ostringstream out, err;
  const int status = cli::run(static_cast<int>(argv.size()), argv.data(), out, err, {.also = also});
  return {status, out.str(), err.str()};
}

/// Arguments separated by single spaces; an argument with spaces is in double quotes.
inline Outcome run_line(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> arguments;
  for (std::string word; words >> std::quoted(word);) arguments.push_back(word);
  return run_command(arguments);
}

[[nodiscard]] inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Without line ends and indents: a sentence may be folded anywhere.
inline std::string in_one_line(const std::string& text) {
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

}  // namespace tailbound::golden
