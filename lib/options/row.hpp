#pragma once

#include <tailbound/options/accepted.hpp>
#include <tailbound/options/option_table.hpp>
#include <tailbound/options/read.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// An option in one row: its name, what it accepts, its default and its help, and its value. The rows of a
/// query are the members of a struct, in the order of the help:
///
///     struct SwitchOptions {
///       OptionTable rows{};
///       OptionGroup network{rows, "Network"};
///       List<int> sizes{network, "--switch", "S", integers<int>(2, 512).by_default("2"),
///                       "switch size S x S (default {})"};
///     };
///
/// The command adds `rows` to its table and reads `options.sizes.value()`. Everything else that knows of the
/// option (command line, help, completion, workbench, Python, messages) knows it from the row.
///
/// TESTS     tests/options/row_test.cpp
namespace tailbound::options {

/// An option of any type. It stays where it is: its table refers to it.
class AnyRow {
 public:
  AnyRow(const AnyRow&) = delete;
  AnyRow& operator=(const AnyRow&) = delete;

  [[nodiscard]] const std::string& name() const { return option_.name; }
  [[nodiscard]] bool given() const { return option_.given(); }
  [[nodiscard]] explicit operator bool() const { return given(); }
  /// As typed; of a given option with a value.
  [[nodiscard]] const std::string& text() const { return **option_.text; }
  /// "--load is 1.2; it must be ..."
  [[nodiscard]] InvalidArgument invalid(std::string legal) const {
    return {name(), text(), std::move(legal)};
  }

 protected:
  AnyRow(const OptionGroup& group, Option option) : option_(group.add(std::move(option))) {}
  ~AnyRow() = default;

 private:
  Option option_;
};

/// \param help  "{}" stands for the default, "{names}" for the names that it accepts
template <class T>
class Row : public AnyRow {
 public:
  Row(const OptionGroup& group, const std::string& name, const std::string& type, Accepted<T> accepted,
      const std::string& help)
      : AnyRow(group, {.name = name,
                       .type = type,
                       .help = completed(help, accepted.usual.value_or(""), accepted.values.choices),
                       .group = {},
                       .required = accepted.required,
                       .text = &text_,
                       .values = accepted.values,
                       .usual = accepted.usual.value_or(""),
                       .repeats = accepted.repeats}),
        accepted_(std::move(accepted)) {}
  /// Any text.
  Row(const OptionGroup& group, const std::string& name, const std::string& type,
      const std::string& help) requires std::is_same_v<T, std::string>
      : Row(group, name, type, options::text(), help) {}

  /// The default if it was not given.
  /// \throws InvalidArgument  it was given another value than it accepts
  /// \throws Misuse           it was not given and has no default
  [[nodiscard]] T value() const { return as(accepted_); }
  /// Only if it was given.  \throws InvalidArgument
  [[nodiscard]] std::optional<T> if_given() const { return given() ? std::optional(value()) : std::nullopt; }
  /// Each entry of a list; a single "none" if it was not given.  \throws InvalidArgument
  [[nodiscard]] auto each() const requires is_vector<T> {
    return each_or_none(given(), given() ? value() : T{});
  }
  /// In a query that accepts other values, or has another default.  \throws as value()
  template <class Other>
  [[nodiscard]] Other as(const Accepted<Other>& accepted) const {
    if (!text_ && !accepted.usual) throw missing(name(), accepted.demand);
    return accepted.read(text_ ? *text_ : *accepted.usual, name());
  }

 private:
  std::optional<std::string> text_;
  Accepted<T> accepted_;
};
template <class T>
using One = Row<T>;
template <class T>
using List = Row<std::vector<T>>;
using Text = One<std::string>;
using Number = One<numeric::Rational>;
using Numbers = List<numeric::Rational>;
using Integer = One<std::int64_t>;
using Integers = List<std::int64_t>;

class Flag : public AnyRow {
 public:
  Flag(const OptionGroup& group, const std::string& name, const std::string& help)
      : AnyRow(group, {.name = name, .type = {}, .help = help, .group = {}, .flag = &given_}) {}

 private:
  bool given_ = false;
};

/// `minimum` to `maximum` words.
class Words : public AnyRow {
 public:
  Words(const OptionGroup& group, const std::string& name, const std::string& type, int minimum, int maximum,
        const std::string& help, bool required = false)
      : AnyRow(group, {.name = name,
                       .type = type,
                       .help = help,
                       .group = {},
                       .required = required,
                       .words = &words_,
                       .minimum = minimum,
                       .maximum = maximum}) {}
  [[nodiscard]] const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

/// The rows of each of these, to a command's table.
template <class... Options>
void add_rows(OptionTable& table, const Options&... options) {
  (table.add(options.rows), ...);
}

/// \throws Misuse  not_allowed_with(), of the first of these that was given
void reject_with(std::initializer_list<const AnyRow*> rows, const std::string& other,
                 const std::string& reason = {});
/// \throws Misuse  needs(), of the first of these that was given
void reject_without(std::initializer_list<const AnyRow*> rows, const std::string& other,
                    const std::string& reason = {});

}  // namespace tailbound::options
