#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Shared by the readers of network files and traffic matrices: checks of the text, locations, exact rates.
namespace tailbound::network {

/// A location in a text; line and column (in characters) count from 1.
struct Place {
  std::size_t line = 0, column = 0;
};

/// Advances by one byte of a text and returns it; a column is a character.
char step_over(std::string_view text, std::size_t& at, Place& place);

/// "it may send at most 1", or the rate of its fastest link.
[[nodiscard]] std::string send_limit_in_words(const numeric::Rational& maximum);

/// A text and its name in messages.
class FileText {
 public:
  /// \throws ParseError  over 64 MB, or not UTF-8. A byte order mark is skipped.
  FileText(std::string_view text, std::string name);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[noreturn]] void fail(Place place, const std::string& what) const;

 private:
  std::string_view text_;
  std::string name_;
};

/// Rejects TOML that would exceed bounded stack and memory in the parser (toml++ 3.3): values nested over 16
/// deep, keys of over 8 parts, over 10 000 000 values; also non-ASCII characters outside of quotes and
/// comments or after a backslash within triple quotes, which TOML does not allow and the parser treats in
/// undefined ways. The parser checks everything else.
void check_toml_shape(const FileText& file);

/// `text` shortened for a message, in double quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Reads rates and shares, and sums the rates of each node.
class RateReader {
 public:
  RateReader(const FileText& file, std::size_t nodes) : file_(file), sent_(nodes, 0), maximum_(nodes, 1) {}

  /// Sets the maximum rate of each node from its links (Network::send_limits()), and the speed of one packet
  /// per slot.
  void use_network(const Network& network);
  [[nodiscard]] const std::vector<numeric::Rational>& send_limits() const { return maximum_; }

  /// The rate in `text`: a number, a percentage, or a speed such as 20G if the network gives the speed of one
  /// packet per slot; `what` names it in messages. [0 .. maximum rate of a node]
  [[nodiscard]] numeric::Rational read(std::string_view text, Place place, const std::string& what);
  /// The same for a number that is not a rate: a share, or a rate within a burst. [0 .. 1]
  [[nodiscard]] numeric::Rational read_share(std::string_view text, Place place, const std::string& what);
  /// The same for a sum of rates. [0 .. 10^9]
  [[nodiscard]] numeric::Rational read_total(std::string_view text, Place place, const std::string& what);
  /// The same for the mean length of a burst. [1 .. 10^9 slots]
  [[nodiscard]] numeric::Rational read_burst(std::string_view text, Place place, const std::string& what);
  /// The same for the attraction of a node. [0 .. 10^9]
  [[nodiscard]] numeric::Rational read_attraction(std::string_view text, Place place,
                                                  const std::string& what);
  /// Adds a flow's rate to the total of its source, as in require_valid(): flows with bursts are omitted.
  void send(const Flow& flow, Place place, const std::string& source_name);

 private:
  [[nodiscard]] numeric::Rational parse(std::string_view text, Place place, const std::string& what) const;
  void note_denominator(const numeric::Rational& value, std::string_view text, Place place,
                        const std::string& what);
  [[nodiscard]] numeric::Rational parse_rate(std::string_view text, Place place,
                                             const std::string& what) const;
  const FileText& file_;
  std::vector<numeric::Rational> sent_, maximum_;
  numeric::Rational largest_ = 1;
  std::optional<numeric::Rational> gbps_{};
  numeric::Integer denominator_ = 1;
};

}  // namespace tailbound::network
