#include <nlohmann/json.hpp>
#include <tailbound/render/documents/schema.hpp>
#include <tailbound/render/units.hpp>

namespace tailbound::render {
namespace {

using Json = nlohmann::ordered_json;

/// A decimal of any size that any program can read.
Json decimal() {
  return {{"type", "string"}, {"pattern", "^-?[0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?$"}};
}

Json fraction() {
  return {{"type", "string"}, {"pattern", "^-?[0-9]+(/[0-9]+)?$"}};
}

Json object(Json properties, std::vector<std::string> required, bool open = false) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", open}};
}

Json kind(const char* name) {
  return {{"const", name}};
}

Json reference(const std::string& name) {
  return {{"$ref", "#/$defs/" + name}};
}

/// A number of each kind, by the kind's name.
Json definitions() {
  const Json number{{"type", "number"}}, or_null{{"type", {"number", "null"}}}, text{{"type", "string"}};
  Json definitions = Json::object();
  definitions["decimal"] = decimal();
  definitions["exact"] = object({{"kind", kind("exact")},
                                 {"value", fraction()},
                                 {"lower", decimal()},
                                 {"upper", decimal()},
                                 {"assumes", text}},
                                {"kind", "value", "lower", "upper"});
  definitions["enclosure"] =
      object({{"kind", kind("enclosure")}, {"lower", decimal()}, {"upper", decimal()}, {"assumes", text}},
             {"kind", "lower", "upper"});
  definitions["approximation"] = object(
      {{"kind", kind("approximation")}, {"value", decimal()}, {"agreed_digits", {{"type", "integer"}}}},
      {"kind", "value", "agreed_digits"});
  definitions["bound"] = object({{"kind", kind("bound")},
                                 {"value", decimal()},
                                 {"side", {{"enum", {"upper", "lower"}}}},
                                 {"exact", fraction()},
                                 {"assumes", text}},
                                {"kind", "value", "side"});
  definitions["asymptote"] = object({{"kind", kind("asymptote")}, {"value", number}}, {"kind", "value"});
  definitions["model"] = object({{"kind", kind("model")}, {"value", or_null}}, {"kind", "value"});
  definitions["estimate"] = object({{"kind", kind("estimate")},
                                    {"value", number},
                                    {"lower", or_null},
                                    {"upper", or_null},
                                    {"confidence", number}},
                                   {"kind", "value", "lower", "upper", "confidence"});
  return definitions;
}

std::vector<std::string> kinds_of(Shape shape) {
  switch (shape) {
    case Shape::proved:
      return {"exact", "enclosure"};
    case Shape::claim:
      return {"exact", "enclosure", "approximation", "bound"};
    case Shape::bound:
      return {"bound", "asymptote"};
    case Shape::model:
      return {"model"};
    case Shape::estimate:
      return {"estimate"};
    case Shape::number:
      return {"exact", "enclosure", "approximation", "bound", "asymptote", "model", "estimate"};
    case Shape::text:
    case Shape::texts:
    case Shape::flag:
    case Shape::whole:
    case Shape::slots:
    case Shape::given:
    case Shape::givens:
      break;
  }
  return {};
}

/// The possible types of a value, except null.
std::vector<Json> types_of(Shape shape) {
  switch (shape) {
    case Shape::text:
      return {{{"type", "string"}}};
    case Shape::texts:
      return {{{"type", "array"}, {"items", {{"type", "string"}}}}};
    case Shape::flag:
      return {{{"type", "boolean"}}};
    case Shape::whole:
      return {{{"type", "integer"}}};
    case Shape::slots:
      return {{{"type", "integer"}}, reference("decimal")};
    case Shape::given:
      return {reference("decimal")};
    case Shape::givens:
      return {{{"type", "array"}, {"items", {{"type", "string"}}}}};
    default:
      break;
  }
  std::vector<Json> types;
  for (const std::string& name : kinds_of(shape)) types.push_back(reference(name));
  // A count without a kind, as it is or in another unit.
  if (shape == Shape::number) {
    types.push_back({{"type", "integer"}});
    types.push_back(reference("decimal"));
  }
  return types;
}

Json described(const Column& column, std::vector<Json> types) {
  Json schema = Json::object();
  if (types.size() == 1)
    schema = std::move(types.front());
  else
    schema["anyOf"] = std::move(types);
  if (schema.contains("$ref")) schema = {{"allOf", {schema}}};
  schema["description"] = column.meaning + (column.unit.empty() ? "" : " [" + column.unit + "]");
  return schema;
}

void add_columns(Json& properties, const std::vector<Column>& columns, bool lists) {
  for (const Column& column : columns) {
    std::vector<Json> types = types_of(column.shape);
    if (lists) {
      Json items = Json::object();
      items["anyOf"] = types;
      types.push_back({{"type", "array"}, {"items", items}});
    }
    types.push_back({{"type", "null"}});
    properties[column.key] = described(column, types);
    if (column.shape != Shape::given) continue;
    std::vector<Json> exact{{{"type", "string"}}};
    if (lists) exact.push_back({{"type", "array"}, {"items", {{"type", "string"}}}});
    Column as_fraction = column;
    as_fraction.meaning += ", as a fraction";
    properties[column.key + "_exact"] = described(as_fraction, exact);
  }
}

Layout with_all_units(const Layout& layout) {
  return with_units(layout, {.bytes_of_packet = 1, .ns_of_slot = 1});
}

std::string kind_in_words(Shape shape) {
  switch (shape) {
    case Shape::text:
      return "text";
    case Shape::texts:
      return "list of texts";
    case Shape::flag:
      return "true or false";
    case Shape::whole:
      return "whole number";
    case Shape::slots:
      return "whole number, or decimal";
    case Shape::given:
      return "exact decimal (and `_exact`)";
    case Shape::givens:
      return "list of exact decimals";
    default:
      break;
  }
  std::string text;
  for (const std::string& name : kinds_of(shape)) text += (text.empty() ? "" : ", ") + name;
  return shape == Shape::number ? "any kind" : text;
}

}  // namespace

std::string keys_table(const std::vector<Column>& columns) {
  std::string text = "\n| key | unit | kind | meaning |\n|---|---|---|---|\n";
  for (const Column& column : columns)
    text += "| `" + column.key + "` | " + column.unit + " | " + kind_in_words(column.shape) + " | " +
            column.meaning + " |\n";
  return text;
}

std::set<std::string> kinds_in(const Layout& layout) {
  std::set<std::string> all;
  const auto add = [&all](const std::vector<Column>& columns) {
    for (const Column& column : columns)
      for (const std::string& kind : kinds_of(column.shape)) all.insert(kind);
  };
  add(layout.results);
  for (const TableLayout& table : layout.tables) add(table.columns);
  return all;
}

std::string json_schema(const Layout& plain) {
  const Layout layout = with_all_units(plain);
  Json query = Json::object(), result = Json::object();
  add_columns(query, layout.inputs, true);
  add_columns(result, layout.inputs, false);
  add_columns(result, layout.results, false);
  for (const TableLayout& table : layout.tables) {
    Json row = Json::object();
    add_columns(row, table.columns, false);
    result[table.key] = {
        {"type", "array"}, {"description", table.meaning}, {"items", object(std::move(row), {})}};
  }
  const Json text{{"type", "string"}};
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "tailbound " + layout.command}};
  schema.update(
      object({{"command", {{"const", layout.command}}},
              {"version", text},
              {"query", object(std::move(query), {}, layout.open)},
              {"stopped", {{"const", true}}},
              {"stopped_after", text},
              {"results", {{"type", "array"}, {"items", object(std::move(result), {}, layout.open)}}},
              {"headline", text},
              {"notes", {{"type", "array"}, {"items", text}}}},
             {"command", "version", "query", "results", "headline", "notes"}));
  schema["$defs"] = definitions();
  return schema.dump(2) + "\n";
}

std::string keys_as_markdown(const Layout& plain) {
  const Layout layout = with_all_units(plain);
  std::string text = "## " + layout.command + "\n\nInputs, in `query` and in each entry of `results`:\n";
  text += keys_table(layout.inputs);
  if (!layout.results.empty())
    text += "\nResults, in each entry of `results`:\n" + keys_table(layout.results);
  for (const TableLayout& table : layout.tables)
    text += "\n`" + table.key + "`: " + table.meaning + ".\n" + keys_table(table.columns);
  if (layout.open) text += "\nAnd all keys of the commands that the plan runs.\n";
  return text;
}

}  // namespace tailbound::render
