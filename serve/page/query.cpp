#include <serve/page/query.hpp>

#include <cli/command_runner.hpp>
#include <cli/program.hpp>

#include <algorithm>
#include <cctype>

namespace tailbound::serve {
namespace {

constexpr std::size_t max_options = 200;
constexpr std::size_t longest_value = std::size_t{1} << 16;
constexpr std::size_t max_files = 8;
constexpr std::size_t longest_name = 100;
constexpr int deepest = 5;

/// Commands with a single result. The others run many queries, write files, or have no result of their own.
bool is_offered(const cli::Command& command) {
  return command.layout != nullptr && command.work != cli::Work::queries;
}

/// Options that write files, or read files written by such options.
bool writes(std::string_view option) {
  constexpr std::string_view those[] = {"--checkpoint", "--checkpoint-every", "--resume"};
  return std::find(std::begin(those), std::end(those), option) != std::end(those);
}

/// A plain file name without a folder.
bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= longest_name && name != "-" && name.front() != '.' &&
         name.find('/') == std::string::npos && std::none_of(name.begin(), name.end(), [](char c) {
           return std::iscntrl(static_cast<unsigned char>(c)) != 0;
         });
}

/// All offered commands, in the order of the help; only their declarations are used here.
const std::vector<std::pair<std::string, cli::CommandRunner>>& offered() {
  static const auto runners = [] {
    std::vector<std::pair<std::string, cli::CommandRunner>> all;
    for (const std::string& name : cli::command_names())
      if (cli::CommandRunner runner(name); is_offered(runner.command()))
        all.emplace_back(name, std::move(runner));
    return all;
  }();
  return runners;
}

/// \throws BadRequest
const cli::CommandRunner& runner_of(const std::string& name) {
  for (const auto& [known, runner] : offered())
    if (known == name) return runner;
  throw BadRequest("unknown command");
}

const std::string& text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw BadRequest(std::string("\"") + key + "\" must be a string");
  return found->get_ref<const std::string&>();
}

const char* kind_of(const options::Option& option) {
  if (option.names_file()) return "file";
  return option.flag != nullptr ? "flag" : option.words != nullptr ? "words" : "text";
}

Json option_of(const options::Option& option) {
  Json made{{"name", option.name},     {"type", option.type},
            {"help", option.help},     {"group", option.group},
            {"kind", kind_of(option)}, {"required", option.required || option.minimum > 0}};
  if (!option.values.choices.empty()) made["choices"] = option.values.choices;
  if (!option.usual.empty()) made["default"] = option.usual;
  if (const auto& slider = option.values.slider)
    made["slider"] = {{"least", slider->minimum},
                      {"most", slider->maximum},
                      {"step", slider->step},
                      {"powers_of_ten", slider->powers_of_ten}};
  return made;
}

}  // namespace

Json parsed(std::string_view body) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest) throw BadRequest("JSON nested too deeply");
    return true;
  };
  try {
    return Json::parse(body, shallow);
  } catch (const Json::exception&) {
    throw BadRequest("invalid JSON");
  }
}

Query read_query(const Json& requested) {
  if (!requested.is_object()) throw BadRequest("the request must be a JSON object");
  Query query{.name = text_at(requested, "question"), .options = {}, .files = {}, .page = {}};
  const cli::CommandRunner& runner = runner_of(query.name);
  if (requested.contains("page")) query.page = text_at(requested, "page").substr(0, longest_name);
  if (const auto files = requested.find("files"); files != requested.end()) {
    if (!files->is_object() || files->size() > max_files)
      throw BadRequest("\"files\" must be an object of a few strings");
    for (const auto& [name, content] : files->items()) {
      if (!content.is_string() || !is_file_name(name))
        throw BadRequest("a file must be a string with a plain file name");
      query.files[name] = content.get<std::string>();
    }
  }
  const auto options = requested.find("options");
  if (options == requested.end() || !options->is_array() || options->size() > max_options)
    throw BadRequest("\"options\" must be a list of pairs");
  for (const Json& pair : *options) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      throw BadRequest("\"options\" must be a list of pairs of strings");
    const auto& name = pair[0].get_ref<const std::string&>();
    const auto& value = pair[1].get_ref<const std::string&>();
    if (value.size() > longest_value || name.size() > longest_name) throw BadRequest("option too long");
    if (writes(name)) throw BadRequest(name + " is not available in the workbench: it concerns files");
    const options::Option* option = runner.options().find(name);
    if (option != nullptr && option->names_file() && !query.files.contains(value))
      throw BadRequest("the content of the file is missing");
    query.options.emplace_back(name, value);
  }
  return query;
}

std::string read_format(const std::string& name) {
  constexpr std::string_view known[] = {"html", "page", "table", "json", "csv", "markdown", "svg", "png"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known))
    throw BadRequest("unknown format");
  return name;
}

std::string command_line(const Query& query) {
  const cli::CommandRunner& runner = runner_of(query.name);
  std::vector<std::string> words{"tailbound"};
  const std::size_t space = query.name.find(' ');
  words.push_back(query.name.substr(0, space));
  if (space != std::string::npos) words.push_back(query.name.substr(space + 1));
  for (const auto& [name, value] : query.options) {
    const options::Option* option = runner.options().find(name);
    if (name.rfind("--", 0) == 0) words.push_back(name);
    const bool alone =
        option != nullptr && (option->flag != nullptr || (option->words != nullptr && value.empty()));
    if (!alone) words.push_back(value);
  }
  return cli::shell_words(words);
}

Note note_of(const Query& query, const std::vector<std::string>& formats) {
  Note note{.head = {{"question", query.name},
                     {"options", query.options},
                     {"files", Json::array()},
                     {"formats", formats},
                     {"command_line", command_line(query)}}};
  for (const auto& [name, content] : query.files) {
    note.head["files"].push_back(name);
    note.parts.push_back(content);
  }
  return note;
}

Json queries() {
  Json all = Json::array();
  for (const auto& [name, runner] : offered()) {
    Json made{{"name", name},
              {"purpose", runner.command().purpose},
              {"draws", runner.command().draws},
              {"live",
               runner.command().work != cli::Work::simulation && runner.command().work != cli::Work::search},
              {"opening", runner.command().example},
              {"options", Json::array()}};
    for (const options::Option& option : runner.options().options)
      if (!writes(option.name)) made["options"].push_back(option_of(option));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace tailbound::serve
