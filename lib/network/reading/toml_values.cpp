#include <tailbound/core/trimmed.hpp>
#include <tailbound/network/reading/format_names.hpp>
#include <tailbound/network/reading/toml_values.hpp>

#include <algorithm>

namespace tailbound::network {
namespace {

constexpr std::size_t longest_key = 200;

}  // namespace

TokenFinder::TokenFinder(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at != std::string_view::npos; at = text.find('\n', at)) {
    if (!lines_.empty()) ++at;
    lines_.push_back(static_cast<std::uint32_t>(at));
  }
}

std::string_view TokenFinder::at(Place place) {
  if (place.line != place_.line) {
    place_ = {place.line, 1};
    offset_ = lines_[place.line - 1];
  }
  while (place_.column < place.column) step(1);
  while (place_.column > place.column) step(-1);
  const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}#", offset_), text_.size());
  return text_.substr(offset_, end - offset_);
}

void TokenFinder::step(int direction) {
  const auto inside = [this] {
    return offset_ < text_.size() && (static_cast<unsigned char>(text_[offset_]) & 0xC0) == 0x80;
  };
  const auto move = static_cast<std::size_t>(direction);
  do offset_ += move;
  while (inside());
  place_.column += move;
}

bool is_printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; });
}

/// Does the first line with content look like a key or a table name?
static bool looks_like_toml(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#')
      return line.front() == '[' || line.find('=') != std::string_view::npos;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

TomlValues::TomlValues(std::string_view toml, const std::string& name)
    : file_(toml, name), tokens_(file_.text()) {}

toml::table TomlValues::parse() const {
  check_toml_shape(file_);
  try {
    return toml::parse(file_.text());
  } catch (const toml::parse_error& error) {
    std::string what(error.description().substr(0, 300));
    while (!what.empty() && static_cast<unsigned char>(what.back()) >= 0x80) what.pop_back();
    if (!looks_like_toml(file_.text()))
      what += std::string("; a network file is TOML (tailbound network leaf-spine --help shows one), or ") +
              foreign_formats;
    fail(begin_of(error.source()), what);
  }
}

void TomlValues::check_keys(const toml::table& table, const std::string& what, const Keys& legal) const {
  for (const auto& [key, value] : table) {
    if (std::find(legal.begin(), legal.end(), key.str()) != legal.end()) continue;
    std::string list;
    for (const std::string_view known : legal) list += (list.empty() ? "" : ", ") + std::string(known);
    fail(begin_of(key.source()), what + " has no key " + in_quotes(key.str()) + "; its keys are " + list);
  }
}

const toml::node& TomlValues::need(const toml::table& table, const char* key, const std::string& what) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) fail(begin_of(table), what + " needs the key " + in_quotes(key));
  return *node;
}

std::string TomlValues::text(const toml::node& node, const std::string& what) const {
  const auto* string = node.as_string();
  if (string == nullptr) fail(begin_of(node), what + " must be a string in double quotes");
  return string->get();
}

std::string TomlValues::name(const toml::node& node, const std::string& what) const {
  std::string result = text(node, what);
  if (result.empty() || result.size() > longest_key || !is_printable(result))
    fail(begin_of(node),
         what + " is " + in_quotes(result) + "; it must be 1 to 200 bytes without control characters");
  return result;
}

bool TomlValues::yes(const toml::table& table, const char* key) const {
  const toml::node* node = table.get(key);
  if (node == nullptr) return false;
  if (!node->is_boolean()) fail(begin_of(*node), in_quotes(key) + " must be true or false");
  return node->as_boolean()->get();
}

std::string TomlValues::digits(const toml::node& node, const std::string& what) {
  if (node.is_string()) return node.as_string()->get();
  if (!node.is_number()) fail(begin_of(node), what + " must be a number such as 0.3 or \"3/10\"");
  std::string text(tokens_.at(begin_of(node)));
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  return text;
}

Rational TomlValues::number(const toml::node& node, const std::string& what) {
  Rational value = rates_->read_share(digits(node, what), begin_of(node), what);
  if (value == 0) fail(begin_of(node), what + " is 0; it must be above 0 and at most 1");
  return value;
}

Rational TomlValues::rate(const toml::node& node, const std::string& what) {
  Rational value = rates_->read(digits(node, what), begin_of(node), what);
  if (value == 0) fail(begin_of(node), what + " is 0; it must be above 0");
  return value;
}

std::int64_t TomlValues::whole(const toml::table& table, const char* key, std::int64_t otherwise,
                               std::int64_t minimum, std::int64_t maximum, const char* what,
                               const char* unit) const {
  const toml::node* value = table.get(key);
  if (value == nullptr) return otherwise;
  const auto* number = value->as_integer();
  if (number == nullptr || number->get() < minimum || number->get() > maximum)
    fail(begin_of(*value), std::string(what) + " must be a whole number from " + std::to_string(minimum) +
                               " to " + std::to_string(maximum) + unit);
  return number->get();
}

}  // namespace tailbound::network
