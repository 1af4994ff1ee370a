#include <tailbound/render/formats/formats.hpp>
#include <tailbound/render/formats/html.hpp>

namespace tailbound::render {

const std::vector<std::pair<std::string, Write>>& formats() {
  static const std::vector<std::pair<std::string, Write>> all{
      {"table", to_text}, {"json", to_json}, {"csv", to_csv}, {"markdown", to_markdown}, {"html", to_html}};
  return all;
}

}  // namespace tailbound::render
