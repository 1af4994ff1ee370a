#pragma once

#include <tailbound/core/choice.hpp>
#include <tailbound/render/document.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The keys of a document in tables: each row describes a key and the source of its value. The layout and the
/// cells of a result use the same table, so that no cell can have a key that its layout lacks.
namespace tailbound::render {

// --- conversion to a value, by the type of the getter and the shape of its column

[[nodiscard]] inline Value shown_as(Shape, Value value) {
  return value;
}
[[nodiscard]] inline Value shown_as(Shape, std::string text) {
  return Text{std::move(text)};
}
[[nodiscard]] inline Value shown_as(Shape, const char* text) {
  return Text{text};
}
[[nodiscard]] inline Value shown_as(Shape, std::vector<numeric::Rational> numbers) {
  return GivenList{std::move(numbers)};
}
/// An input, or an exact result.
[[nodiscard]] inline Value shown_as(Shape shape, const numeric::Rational& number) {
  return shape == Shape::given ? Value(Given{number}) : Value(Exact{numeric::Theorem::input, number});
}
template <std::integral Number>
[[nodiscard]] Value shown_as(Shape, Number number) {
  if constexpr (std::same_as<Number, bool>)
    return Flag{number};
  else
    return Whole{static_cast<std::int64_t>(number)};
}
template <class Choice>
requires std::is_enum_v<Choice>
[[nodiscard]] Value shown_as(Shape, Choice choice) {
  return Text{name_of(choice)};
}
/// None if empty.
template <class Found>
[[nodiscard]] Value shown_as(Shape shape, const std::optional<Found>& found) {
  return found ? shown_as(shape, *found) : Value(None{});
}
/// A proved number of the library.
template <class Truth>
requires(!std::integral<Truth> && !std::is_enum_v<Truth> && !std::convertible_to<Truth, Value> &&
         requires(const Truth& truth) {
           { shown(truth) } -> std::same_as<Value>;
         }) [[nodiscard]] Value shown_as(Shape, const Truth& truth) {
  return shown(truth);
}

// --- getters

/// For a table of one alternative of a variant.
template <class Alternative>
inline constexpr auto one_of = [](const auto& of) { return std::get_if<Alternative>(&of); };

// --- tables

/// For a row of Fields: the key is omitted if its getter finds no value.
struct IfPresent {};
inline constexpr IfPresent if_present;

/// The keys of an `Of`, in rows {column, getter}, {column, getter, condition} or {column, getter,
/// if_present}, and nested tables: {table} for the same object, {table, part} for a part of it, omitted if
/// `part` is a null pointer or an empty optional. Getters and conditions are functions of an `Of`, or its
/// members. A getter returns a Value, a number of the library, a text, a flag, a choice, or an optional of
/// these, which is null if empty. A key whose condition does not hold is omitted.
template <class Of>
class Fields {
 public:
  class Part {
   public:
    template <class Getter>
    requires std::invocable<const Getter&, const Of&> Part(Column column, Getter getter)
        : Part(std::move(column), std::move(getter), [](const Of&) { return true; }) {}

    template <class Getter, class When>
    requires(std::constructible_from<bool, std::invoke_result_t<const When&, const Of&>>)
        Part(Column column, Getter getter, When when)
        : columns{std::move(column)},
          add([key = columns.front().key, shape = columns.front().shape, getter = std::move(getter),
               when = std::move(when)](const Of& of, Cells& cells) {
            if (static_cast<bool>(std::invoke(when, of)))
              cells.push_back({key, shown_as(shape, std::invoke(getter, of))});
          }) {}

    /// Omitted if the getter finds none.
    template <class Getter>
    requires std::invocable<const Getter&, const Of&> Part(Column column, Getter getter, IfPresent)
        : columns{std::move(column)},
          add([key = columns.front().key, shape = columns.front().shape, getter = std::move(getter)](
                  const Of& of, Cells& cells) {
            if (decltype(auto) found = std::invoke(getter, of))
              cells.push_back({key, shown_as(shape, *found)});
          }) {}

    Part(const Fields& others)
        : columns(others.columns()), add([others](const Of& of, Cells& cells) { others.add(of, cells); }) {}

    template <class Other, class Getter>
    requires std::invocable<const Getter&, const Of&> Part(Fields<Other> others, Getter getter)
        : columns(others.columns()),
          add([others = std::move(others), getter = std::move(getter)](const Of& of, Cells& cells) {
            decltype(auto) part = std::invoke(getter, of);
            if constexpr (std::convertible_to<decltype(part), const Other&>) {
              others.add(part, cells);
            } else {
              if (part) others.add(*part, cells);
            }
          }) {}

   private:
    friend class Fields;
    std::vector<Column> columns;
    std::function<void(const Of&, Cells&)> add;
  };

  Fields(std::initializer_list<Part> parts) : parts_(parts) {}

  [[nodiscard]] std::vector<Column> columns() const {
    std::vector<Column> all;
    for (const Part& part : parts_) all.insert(all.end(), part.columns.begin(), part.columns.end());
    return all;
  }
  [[nodiscard]] Cells cells(const Of& of) const {
    Cells cells;
    add(of, cells);
    return cells;
  }
  void add(const Of& of, Cells& cells) const {
    for (const Part& part : parts_) part.add(of, cells);
  }

 private:
  std::vector<Part> parts_;
};

/// A table inside results, with one `Row` per row.
template <class Row>
struct Table {
  std::string key, meaning;
  Fields<Row> fields;

  [[nodiscard]] TableLayout layout() const { return {key, meaning, fields.columns()}; }
  /// \param row  (row index) -> Row, or a reference to one
  template <class RowOf>
  [[nodiscard]] Rows rows(std::size_t size, RowOf row) const {
    return {.key = key, .size = size, .row = [fields = fields, row = std::move(row)](std::size_t i) {
              return fields.cells(row(i));
            }};
  }
  [[nodiscard]] Rows rows(Shared<Row> all) const {
    return rows(all->size(), [all](std::size_t i) -> const Row& { return (*all)[i]; });
  }
};

}  // namespace tailbound::render
