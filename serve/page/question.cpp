#include <serve/page/question.hpp>

#include <cli/ask.hpp>
#include <cli/program.hpp>

#include <algorithm>
#include <cctype>

namespace tailbound::serve {
namespace {

constexpr std::size_t most_options = 200;
constexpr std::size_t longest_value = std::size_t{1} << 16;
constexpr std::size_t most_files = 8;
constexpr std::size_t longest_name = 100;
constexpr int deepest = 5;

/// Commands with a single result. The others run many queries, write files, or have no result of their own.
bool is_offered(const cli::Command& command) {
  return command.layout != nullptr && command.work != cli::Work::questions;
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

bool names_file(const options::Option& option) {
  return option.type == "FILE" || option.name == "FILE";
}

/// All offered commands, in the order of the help; only their declarations are used here.
const std::vector<std::pair<std::string, cli::Asker>>& offered() {
  static const auto askers = [] {
    std::vector<std::pair<std::string, cli::Asker>> all;
    for (const std::string& name : cli::command_names())
      if (cli::Asker asker(name); is_offered(asker.command())) all.emplace_back(name, std::move(asker));
    return all;
  }();
  return askers;
}

/// \throws BadRequest
const cli::Asker& asker_of(const std::string& name) {
  for (const auto& [known, asker] : offered())
    if (known == name) return asker;
  throw BadRequest("unknown command");
}

const std::string& text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string())
    throw BadRequest(std::string("\"") + key + "\" must be a string");
  return found->get_ref<const std::string&>();
}

const char* kind_of(const options::Option& option) {
  if (names_file(option)) return "file";
  return option.flag != nullptr ? "flag" : option.words != nullptr ? "words" : "text";
}

Json option_of(const options::Option& option) {
  Json made{{"name", option.name},     {"type", option.type},
            {"help", option.help},     {"group", option.group},
            {"kind", kind_of(option)}, {"required", option.required || option.least > 0}};
  if (!option.values.choices.empty()) made["choices"] = option.values.choices;
  if (const auto& slider = option.values.slider)
    made["slider"] = {{"least", slider->least},
                      {"most", slider->most},
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

Question read_question(const Json& asked) {
  if (!asked.is_object()) throw BadRequest("the request must be a JSON object");
  Question question{.name = text_at(asked, "question"), .options = {}, .files = {}, .page = {}};
  const cli::Asker& asker = asker_of(question.name);
  if (asked.contains("page")) question.page = text_at(asked, "page").substr(0, longest_name);
  if (const auto files = asked.find("files"); files != asked.end()) {
    if (!files->is_object() || files->size() > most_files)
      throw BadRequest("\"files\" must be an object of a few strings");
    for (const auto& [name, content] : files->items()) {
      if (!content.is_string() || !is_file_name(name))
        throw BadRequest("a file must be a string with a plain file name");
      question.files[name] = content.get<std::string>();
    }
  }
  const auto options = asked.find("options");
  if (options == asked.end() || !options->is_array() || options->size() > most_options)
    throw BadRequest("\"options\" must be a list of pairs");
  for (const Json& pair : *options) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string())
      throw BadRequest("\"options\" must be a list of pairs of strings");
    const auto& name = pair[0].get_ref<const std::string&>();
    const auto& value = pair[1].get_ref<const std::string&>();
    if (value.size() > longest_value || name.size() > longest_name) throw BadRequest("option too long");
    if (writes(name)) throw BadRequest(name + " is not available in the workbench: it concerns files");
    const options::Option* option = asker.options().find(name);
    if (option != nullptr && names_file(*option) && !question.files.contains(value))
      throw BadRequest("the content of the file is missing");
    question.options.emplace_back(name, value);
  }
  return question;
}

std::string read_format(const std::string& name) {
  constexpr std::string_view known[] = {"html", "page", "table", "json", "csv", "markdown", "svg", "png"};
  if (std::find(std::begin(known), std::end(known), name) == std::end(known))
    throw BadRequest("unknown format");
  return name;
}

std::string command_line(const Question& question) {
  const cli::Asker& asker = asker_of(question.name);
  std::vector<std::string> words{"tailbound"};
  const std::size_t space = question.name.find(' ');
  words.push_back(question.name.substr(0, space));
  if (space != std::string::npos) words.push_back(question.name.substr(space + 1));
  for (const auto& [name, value] : question.options) {
    const options::Option* option = asker.options().find(name);
    if (name.rfind("--", 0) == 0) words.push_back(name);
    const bool alone =
        option != nullptr && (option->flag != nullptr || (option->words != nullptr && value.empty()));
    if (!alone) words.push_back(value);
  }
  return cli::shell_words(words);
}

Note note_of(const Question& question, const std::vector<std::string>& formats) {
  Note note{.head = {{"question", question.name},
                     {"options", question.options},
                     {"files", Json::array()},
                     {"formats", formats},
                     {"command_line", command_line(question)}}};
  for (const auto& [name, content] : question.files) {
    note.head["files"].push_back(name);
    note.parts.push_back(content);
  }
  return note;
}

Json questions() {
  Json all = Json::array();
  for (const auto& [name, asker] : offered()) {
    Json made{
        {"name", name},
        {"purpose", asker.command().purpose},
        {"draws", asker.command().draws},
        {"live", asker.command().work != cli::Work::simulation && asker.command().work != cli::Work::search},
        {"opening", asker.command().opening},
        {"options", Json::array()}};
    for (const options::Option& option : asker.options().options)
      if (!writes(option.name)) made["options"].push_back(option_of(option));
    all.push_back(std::move(made));
  }
  return all;
}

}  // namespace tailbound::serve
