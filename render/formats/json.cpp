#include <nlohmann/json.hpp>
#include <tailbound/numeric/text/plain.hpp>
#include <tailbound/render/document.hpp>

#include <functional>
#include <set>
#include <type_traits>

namespace tailbound::render {
namespace {

// Created as an object: turning a null into an object may fail for lack of memory, and then cannot be
// destroyed.
using Json = nlohmann::ordered_json;

Json list_of_decimals(const std::vector<numeric::Rational>& values) {
  Json list = Json::array();
  for (const numeric::Rational& value : values) list.push_back(numeric::plain(value));
  return list;
}

/// {"kind": "enclosure", "value": .., "lower": .., "upper": ..}: proved numbers as decimal strings, numbers
/// computed in double as numbers.
Json number_json(const Value& value, numeric::Digits digits) {
  Json json{{"kind", kind_of(value)}};
  const Decimals text = decimals(value, digits);
  if (const auto* estimate = std::get_if<Estimate>(&value)) {
    json["value"] = estimate->value;
    json["lower"] = estimate->bare() ? Json() : Json(estimate->lower);
    json["upper"] = estimate->open() ? Json() : Json(estimate->upper);
    json["confidence"] = estimate->confidence;
  } else if (const auto* model = std::get_if<Model>(&value)) {
    json["value"] = model->value;
  } else if (const auto* asymptote = std::get_if<Asymptote>(&value)) {
    json["value"] = asymptote->value;
  } else if (std::holds_alternative<Exact>(value)) {
    json["value"] = text.exact;
    json["lower"] = text.lower;
    json["upper"] = text.upper;
  } else if (std::holds_alternative<Enclosure>(value)) {
    json["lower"] = text.lower;
    json["upper"] = text.upper;
  } else if (const auto* computed = std::get_if<Approximation>(&value)) {
    json["value"] = text.value;
    json["agreed_digits"] = computed->agreed_digits;
  } else {
    json["value"] = text.value;
    const auto* bound = std::get_if<Bound>(&value);
    if (bound != nullptr) {
      json["side"] = bound->is_upper ? "upper" : "lower";
      if (bound->fraction) json["exact"] = text.exact;
    }
  }
  if (const std::string assumed = assumes(value); !assumed.empty()) json["assumes"] = assumed;
  return json;
}

/// Adds the key; an input without a short decimal form also gets its fraction.
void add(Json& json, const std::string& key, const Value& value, numeric::Digits digits) {
  std::visit(
      [&](const auto& it) {
        using It = std::decay_t<decltype(it)>;
        if constexpr (std::is_same_v<It, None>) {
          json[key] = nullptr;
        } else if constexpr (std::is_same_v<It, Whole> || std::is_same_v<It, Flag>) {
          json[key] = it.value;
        } else if constexpr (std::is_same_v<It, Text>) {
          json[key] = it.text;
        } else if constexpr (std::is_same_v<It, TextList>) {
          json[key] = it.texts;
        } else if constexpr (std::is_same_v<It, GivenList>) {
          json[key] = list_of_decimals(it.values);
        } else if constexpr (std::is_same_v<It, Given>) {
          const Decimals text = decimals(value, digits);
          json[key] = text.value;
          if (numeric::plain(it.value) != text.value) json[key + "_exact"] = text.exact;
        } else {
          json[key] = number_json(value, digits);
        }
      },
      value);
}

/// Bytes that are not UTF-8 come from file names, and are replaced by a marker.
std::string written(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void add_all(Json& json, const Cells& cells, numeric::Digits digits) {
  for (const Cell& cell : cells) add(json, cell.key, cell.value, digits);
}

/// Each input as given: a list where the points differ in it.
Json query_json(const Document& document) {
  Json query = Json::object();
  for (const Column& column : document.layout->inputs) {
    std::vector<Json> values;
    std::string exact_key = column.key + "_exact";
    std::vector<Json> exact;
    std::set<std::string> met;  // a network has thousands of flows
    for (const Result& result : document.results)
      for (const Cell& cell : result.inputs) {
        if (cell.key != column.key) continue;
        Json one = Json::object();
        add(one, column.key, cell.value, document.digits);
        if (!met.insert(written(one[column.key])).second) continue;
        values.push_back(one[column.key]);
        exact.push_back(one.contains(exact_key) ? one[exact_key] : one[column.key]);
      }
    if (values.empty()) continue;
    query[column.key] = values.size() == 1 ? values.front() : Json(values);
    if (exact != values) query[exact_key] = exact.size() == 1 ? exact.front() : Json(exact);
  }
  return query;
}

/// Rows are written one at a time, one per line.
void write_rows(std::string& text, std::size_t size, const std::string& indent,
                const std::function<Json(std::size_t)>& row) {
  text += "[";
  for (std::size_t i = 0; i < size; ++i) {
    text += (i == 0 ? "\n" : ",\n") + indent + "  ";
    text += written(row(i));
  }
  text += size == 0 ? "]" : "\n" + indent + "]";
}

void write_result(std::string& text, const Result& result, numeric::Digits digits) {
  Json json = Json::object();
  add_all(json, result.inputs, digits);
  add_all(json, result.cells, digits);
  std::string body = json.empty() ? "{" : written(json);
  if (!json.empty()) body.pop_back();
  for (const Rows& rows : result.tables) {
    body += (body == "{" ? "\n      " : ",\n      ") + written(Json(rows.key)) + ": ";
    write_rows(body, rows.size, "      ", [&](std::size_t i) {
      Json row = Json::object();
      add_all(row, rows.row(i), digits);
      return row;
    });
  }
  text += body + "}";
}

}  // namespace

std::string to_json(const Document& document, const Frame& frame) {
  Json head{{"command", document.layout->command}, {"version", frame.version}};
  head["query"] = query_json(document);
  if (document.stopped) {
    head["stopped"] = true;
    head["stopped_after"] = document.stopped_after;
  }
  std::string text = written(head, 2);
  text.resize(text.size() - 2);  // without the closing "\n}"
  text += ",\n  \"results\": [";
  for (std::size_t i = 0; i < document.results.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    write_result(text, document.results[i], document.digits);
  }
  text += document.results.empty() ? "]" : "\n  ]";
  text += ",\n  \"headline\": " + written(Json(document.headline.text()));
  return text + ",\n  \"notes\": " + written(Json(document.notes)) + "\n}\n";
}

}  // namespace tailbound::render
