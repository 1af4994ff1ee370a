#include <tailbound/core/error.hpp>
#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/messages/message_lengths.hpp>
#include <tailbound/numeric/text/number_list.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/numeric/text/weighted_list.hpp>

#include <algorithm>
#include <utility>

namespace tailbound::network {
namespace {

using numeric::Rational;

constexpr const char* flits_argument = "flits";

void check_flits(std::int64_t flits, std::int64_t maximum) {
  if (flits < 1 || flits > maximum)
    throw InvalidArgument(flits_argument, std::to_string(flits), "from 1 to " + std::to_string(maximum));
}

void check_count(std::size_t lengths) {
  if (lengths == 0 || lengths > MessageLengths::max_lengths)
    throw InvalidArgument(flits_argument, std::to_string(lengths) + " lengths",
                          "from 1 to " + std::to_string(MessageLengths::max_lengths) + " lengths");
}

/// Adds each of the lengths "1-16", or the one length "5", with its weight.
void add_lengths(std::string_view lengths, std::string_view weight, std::string_view argument,
                 std::vector<MessageLength>& all) {
  const Rational share = numeric::parse_share(weight, argument);
  if (share <= 0)
    throw InvalidArgument(std::string(argument), std::string(weight), "a weight above 0 after the length");
  const std::size_t dash = lengths.find('-', 1);
  const auto number = [&](std::string_view text) {
    return numeric::parse_integer(trimmed(text), argument, 1, MessageLengths::max_flits);
  };
  const std::int64_t first = number(lengths.substr(0, dash));
  const std::int64_t last = dash == std::string_view::npos ? first : number(lengths.substr(dash + 1));
  if (last < first)
    throw InvalidArgument(std::string(argument), std::string(lengths), "the shortest length first: 1-16");
  check_count(all.size() + static_cast<std::size_t>(last - first) + 1);
  for (std::int64_t flits = first; flits <= last; ++flits) all.push_back({flits, share});
}

/// "60", "33.33"
std::string percent(const Rational& share) {
  return numeric::plain(100 * numeric::nearest_double(share), 4);
}

/// A percentage that is a short decimal.
bool is_plain_percentage(const MessageLength& one) {
  return numeric::plain(one.share * 100).find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

MessageLengths::MessageLengths(std::int64_t flits) : lengths_{{flits, 1}} {
  check_flits(flits, max_single_flits);
}

MessageLengths::MessageLengths(std::vector<MessageLength> weighted) {
  check_count(weighted.size());
  for (const MessageLength& one : weighted)
    if (one.share <= 0)
      throw InvalidArgument(flits_argument, numeric::plain(one.share), "a weight above 0 for each length");
  lengths_ = numeric::merged(std::move(weighted), &MessageLength::flits);
  for (const MessageLength& one : lengths_)
    check_flits(one.flits, lengths_.size() == 1 ? max_single_flits : max_flits);
}

MessageLengths MessageLengths::geometric(std::int64_t mean) {
  check_flits(mean, max_flits);
  MessageLengths law(mean);
  law.geometric_ = mean > 1;
  return law;
}

MessageLengths MessageLengths::parse(std::string_view text) {
  std::vector<MessageLength> all;
  std::size_t percentages = 0, entries = 0;
  Rational sum = 0;
  numeric::for_each_entry(text, [&](std::string_view entry) {
    const auto [lengths, weight] = numeric::weighted_entry(entry);
    const std::size_t before = all.size();
    add_lengths(lengths, weight, flits_argument, all);
    ++entries;
    if (weight.ends_with('%')) ++percentages;
    // "1-4:20%": 20 % for all of them together.
    const Rational share = all.back().share;
    sum = sum + share;
    if (weight.ends_with('%'))
      for (std::size_t i = before; i < all.size(); ++i)
        all[i].share = share / Rational(static_cast<std::int64_t>(all.size() - before));
  });
  if (percentages > 0 && (percentages < entries || sum != 1))
    throw InvalidArgument(flits_argument, std::string(text),
                          percentages < entries
                              ? "percentages for all lengths, or weights for all: 1:60%,5:40% or 1:3,5:2"
                              : "percentages that sum to 100 %; these sum to " + percent(sum) + " %");
  return MessageLengths(std::move(all));
}

MessageLengths MessageLengths::of_file(std::string_view text, std::string_view source) {
  std::vector<MessageLength> all;
  numeric::for_each_line(text, source, [&](std::string_view content, std::size_t line) {
    const auto [lengths, weight] = numeric::weighted_line(content);
    if (weight.empty())
      throw ParseError(std::string(source), line, 1,
                       "expected a length in flits and its weight, such as 5 2");
    add_lengths(lengths, weight, "the length", all);
  });
  if (all.empty()) throw ParseError(std::string(source), 0, 0, "no line with a length and its weight");
  return MessageLengths(std::move(all));
}

Rational MessageLengths::mean() const {
  Rational mean = 0;
  for (const MessageLength& one : lengths_) mean = mean + one.share * Rational(one.flits);
  return mean;
}

Rational MessageLengths::mean_square() const {
  if (geometric_) return mean() * (2 * mean() - 1);
  Rational square = 0;
  for (const MessageLength& one : lengths_)
    square = square + one.share * Rational(one.flits) * Rational(one.flits);
  return square;
}

double MessageLengths::variation() const {
  return numeric::nearest_double(mean_square() / (mean() * mean()) - 1);
}

std::string MessageLengths::text() const {
  if (geometric_) return "geometric:" + std::to_string(lengths_.front().flits);
  if (single()) return std::to_string(lengths_.front().flits);
  const bool percents = std::all_of(lengths_.begin(), lengths_.end(), is_plain_percentage);
  std::string text;
  for (const MessageLength& one : lengths_)
    text += (text.empty() ? "" : ",") + std::to_string(one.flits) + ":" +
            (percents ? numeric::plain(one.share * 100) + "%" : numeric::to_fraction(one.share));
  return text;
}

std::string MessageLengths::in_words() const {
  const auto flits = [](std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " flit" : " flits");
  };
  if (geometric_) return "geometric length, mean " + flits(lengths_.front().flits);
  if (single()) return flits(lengths_.front().flits);
  constexpr std::size_t most = 4;
  if (lengths_.size() > most)
    return std::to_string(lengths_.size()) + " lengths of " + std::to_string(lengths_.front().flits) +
           " to " + flits(largest()) + ", mean " + numeric::plain(numeric::nearest_double(mean()), 4);
  std::string text;
  for (std::size_t i = 0; i < lengths_.size(); ++i)
    text += (i == 0                     ? ""
             : i + 1 == lengths_.size() ? " and "
                                        : ", ") +
            percent(lengths_[i].share) + " % of " + std::to_string(lengths_[i].flits);
  return text + " flits";
}

}  // namespace tailbound::network
