#pragma once

#include <tailbound/core/error.hpp>
#include <tailbound/network/network.hpp>
#include <tailbound/numeric/rational.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the readers of network files and traffic matrices share: checks of the text, places, exact rates.
namespace tailbound::network {

/// A place in a text; line and column (in characters) count from 1.
struct Place {
  std::size_t line = 0, column = 0;
};

/// Steps over one byte of a text and returns it; a column is a character.
char step_over(std::string_view text, std::size_t& at, Place& place);

/// "a node sends at most 1", or what the fastest link of one takes.
[[nodiscard]] std::string most_sent_in_words(const numeric::Rational& most);

/// A text and what it is called in messages.
class FileText {
 public:
  /// \throws ParseError  over 64 MB, or not UTF-8. A byte order mark is left out.
  FileText(std::string_view text, std::string name);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[noreturn]] void fail(Place place, const std::string& what) const;

 private:
  std::string_view text_;
  std::string name_;
};

/// Refuses TOML that would cost its parser (toml++ 3.3) more than bounded stack and memory: values nested
/// over 16 deep, keys of over 8 parts, over 10 000 000 values; and letters beyond ASCII outside of quotes and
/// comments or behind a backslash within three quotes, which TOML has no use for and the parser treats in
/// undefined ways. The rest is for the parser.
void check_toml_shape(const FileText& file);

/// `text` cut to a length fit for a message, in double quotes.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Reads rates and shares, and adds up what each node sends.
class RateReader {
 public:
  RateReader(const FileText& file, std::size_t nodes) : file_(file), sent_(nodes, 0), most_(nodes, 1) {}

  /// What each node may send, by its links (Network::most_sent()), and what a speed is in packets a slot.
  void let_send(const Network& network);
  [[nodiscard]] const std::vector<numeric::Rational>& most_sent() const { return most_; }

  /// The rate in `text`: a number, a percentage, or a speed such as 20G where the network says what a packet a slot is;
  /// `what` names it in messages. [0 .. what a node may send at most]
  [[nodiscard]] numeric::Rational read(std::string_view text, Place place, const std::string& what);
  /// Likewise a number that is no rate: a share, or a rate within a burst. [0 .. 1]
  [[nodiscard]] numeric::Rational read_share(std::string_view text, Place place, const std::string& what);
  /// Likewise a sum of rates. [0 .. 10^9]
  [[nodiscard]] numeric::Rational read_total(std::string_view text, Place place, const std::string& what);
  /// Likewise the mean length of a burst. [1 .. 10^9 slots]
  [[nodiscard]] numeric::Rational read_burst(std::string_view text, Place place, const std::string& what);
  /// Likewise how much a node attracts. [0 .. 10^9]
  [[nodiscard]] numeric::Rational read_attraction(std::string_view text, Place place,
                                                  const std::string& what);
  /// Adds a flow's rate to what its source sends, as require_valid() counts it: flows with bursts are left
  /// out.
  void send(const Flow& flow, Place place, const std::string& source_name);

 private:
  [[nodiscard]] numeric::Rational parse(std::string_view text, Place place, const std::string& what) const;
  void note_denominator(const numeric::Rational& value, std::string_view text, Place place,
                        const std::string& what);
  [[nodiscard]] numeric::Rational parse_rate(std::string_view text, Place place,
                                             const std::string& what) const;
  const FileText& file_;
  std::vector<numeric::Rational> sent_, most_;
  numeric::Rational greatest_ = 1;
  std::optional<numeric::Rational> gbps_{};
  numeric::Integer denominator_ = 1;
};

}  // namespace tailbound::network
