#include <cli/gnuplot.hpp>
#include <cli/plots.hpp>
#include <cli/write_file.hpp>
#include <tailbound/core/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

namespace tailbound::cli::plots {
namespace {

/// Colours that stay apart for the colour-blind and in grey print (Okabe and Ito 2008).
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7"};

std::string terminal(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".svg") return "svg size 800,520 dynamic enhanced font 'Helvetica,16' background '#ffffff'";
  if (ending == ".png") return "pngcairo size 1200,780 enhanced font 'Sans,18' linewidth 1.5";
  if (ending == ".pdf") return "pdfcairo size 16cm,10.4cm enhanced font 'Helvetica,12' linewidth 1.5";
  throw InvalidArgument("--plot", file, "a file name that ends in .svg, .png or .pdf");
}

/// `text` in lines of at most `width` characters, broken at spaces.
std::vector<std::string> folded(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = text.size();
    if (to - from > width) {
      to = text.rfind(' ', from + width);
      if (to == std::string::npos || to <= from) to = from + width;
    }
    lines.push_back(text.substr(from, to - from));
    from = to + (to < text.size() && text[to] == ' ' ? 1 : 0);
  }
  return lines;
}

/// Points of the font that a note is set in, for the ending of `file`.
int small_font(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  return ending == ".svg" ? 9 : ending == ".png" ? 11 : 7;
}

/// A literal for gnuplot: between single quotes only the quote itself is special; a line end would end the
/// command.
std::string quoted(std::string text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "'";
}

/// A label in a data block: between double quotes, which it therefore does not hold.
std::string data_label(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); }, ' ');
  return '"' + text + '"';
}

std::pair<double, double> y_range(const Picture& picture) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : picture.curves)
    for (const auto& [x, y] : curve.points)
      if (std::isfinite(y)) low = std::min(low, y), high = std::max(high, y);
  for (const Curve& curve : picture.curves)
    for (const auto& [lower, upper] : curve.ends) high = std::max(high, upper);  // bars may leave at the foot
  return {low, high};
}

/// A step of 1, 2 or 5 times a power of ten, at least 1, that divides `span` into at most about eight.
double power_step(double span) {
  double step = 1;
  for (int i = 0; span / step > 8; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::string style(const Curve& curve, int colour) {
  switch (curve.style) {
    case Style::points_and_line:
      return fmt::format("with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb '{}'",
                         kColours[colour % 4]);
    case Style::line:
      return fmt::format("with lines linewidth 2.5 linecolor rgb '{}'", kColours[colour % 4]);
    case Style::marks:
      return "using 1:2:3 with labels left offset 0.8,0.5 point pointtype 7 pointsize 0.7 "
             "linecolor rgb '#222222' noenhanced";
    case Style::steps:
      return "with steps linewidth 5 linecolor rgb '#8ec6e8'";  // wide and light: the asymptote lies on it
    case Style::dashed:
      return fmt::format("with lines linewidth 1.8 dashtype (12,8) linecolor rgb '{}'", kColours[colour % 4]);
    case Style::bars:
      // Not `yerrorbars`: they blank a disc around each point, which hides short bars.
      return fmt::format(
          "using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 linewidth 1.5 linecolor rgb '{0}' "
          "notitle, "
          "'' using 1:2 with points pointtype 7 pointsize 0.6 linecolor rgb '{0}'",
          kColours[colour % 4]);
    case Style::rule:
      return "with lines linewidth 1.5 dashtype (3,5) linecolor rgb '#444444'";
  }
  return {};
}

std::string script(const Picture& picture, const std::string& file) {
  std::string text = fmt::format("set terminal {}\n", terminal(file));
  text +=
      "set encoding utf8\nset border 3 linecolor rgb '#444444'\nset tics nomirror out textcolor rgb "
      "'#222222'\n";
  text +=
      "set grid linecolor rgb '#c8c8c8' linewidth 1 dashtype 1\nset style fill solid\nset pointintervalbox "
      "0\n";
  text += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                      quoted(picture.title), quoted(picture.x_label), quoted(picture.y_label));
  const std::vector<std::string> note = folded(picture.note, 110);
  if (!note.empty()) text += fmt::format("set bmargin {}\n", 5 + note.size());
  for (std::size_t i = 0; i < note.size(); ++i)
    text += fmt::format("set label {} {} at screen 0.5, screen {:.3f} center font ',{}' noenhanced\n", i + 1,
                        quoted(note[i]), 0.025 + 0.03 * static_cast<double>(note.size() - 1 - i),
                        small_font(file));
  if (picture.curves.size() > 1)
    // Above the plot, where it hides no curve.
    text += fmt::format("set key outside top center horizontal maxcols {} spacing 1.2 samplen 2 noenhanced\n",
                        picture.curves.size() == 4 ? 2 : 3);
  else
    text += "set key off\n";
  const auto [low, high] = y_range(picture);
  if (picture.powers_of_ten) {
    const double step = power_step(high - low);
    text += fmt::format("set format y '10^{{%.0f}}'\nset ytics {}\nset yrange [{}:{}]\n", step,
                        std::floor(low / step) * step,
                        std::max(std::ceil(high / step), std::floor(low / step) + 1) * step);
  } else {
    text += fmt::format("set yrange [0:{}]\n", high > 0 ? "*" : "1");
  }
  text += "set autoscale xfix\n";
  // Labels stand to the right of their points.
  const bool labels = std::any_of(picture.curves.begin(), picture.curves.end(), [](const Curve& curve) {
    return std::any_of(curve.labels.begin(), curve.labels.end(),
                       [](const auto& label) { return !label.empty(); });
  });
  text += fmt::format("set offsets graph 0.02, graph {}, 0, 0\n", labels ? 0.3 : 0.02);
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    text += fmt::format("$curve{} << end_of_curve\n", i);
    const Curve& curve = picture.curves[i];
    for (std::size_t j = 0; j < curve.points.size(); ++j) {
      const auto& [x, y] = curve.points[j];
      if (!std::isfinite(y)) continue;
      text += fmt::format("{:.17g} {:.17g}", x, y);
      if (curve.style == Style::marks)
        text += " " + data_label(j < curve.labels.size() ? curve.labels[j] : "");
      if (curve.style == Style::bars)
        text +=
            fmt::format(" {:.17g} {:.17g}", std::max(curve.ends[j].first, low - 10), curve.ends[j].second);
      text += "\n";
    }
    text += "end_of_curve\n";
  }
  text += "plot ";
  for (std::size_t i = 0; i < picture.curves.size(); ++i)
    text += fmt::format("{}$curve{} {} title {}", i == 0 ? "" : ", ", i,
                        style(picture.curves[i], picture.curves[i].colour.value_or(static_cast<int>(i))),
                        quoted(picture.curves[i].title));
  return text + "\n";
}

}  // namespace

void require_known_ending(const std::string& file) {
  static_cast<void>(terminal(file));
}

namespace {

/// What gnuplot makes of `commands`, into `file`.
void draw_with(const std::string& commands, const std::string& file) {
  const std::string drawn = run_gnuplot(commands);
  const int descriptor = open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  int failed = descriptor < 0 ? errno : write_all(descriptor, drawn);
  if (descriptor >= 0 && close(descriptor) != 0 && failed == 0) failed = errno;
  if (failed != 0) throw std::system_error(failed, std::generic_category(), file);
}

}  // namespace

void draw(const Picture& picture, const std::string& file) {
  draw_with(script(picture, file), file);
}

void draw(const render::Picture& picture, const std::string& file) {
  require_known_ending(file);
  draw_with(render::to_gnuplot(picture, std::filesystem::path(file).extension().string().substr(1)), file);
}

double log10(const numeric::Real& value) {
  return static_cast<double>(boost::multiprecision::log10(value));
}

double log10(const numeric::Proved<unit::Probability>& probability) {
  return plots::log10(numeric::to_enclosure(probability).upper());
}

double log10(const numeric::Claim<unit::Probability>& probability) {
  if (const auto* exact = std::get_if<numeric::Exact<unit::Probability>>(&probability))
    return plots::log10(numeric::Proved<unit::Probability>(*exact));
  if (const auto* enclosure = std::get_if<numeric::Enclosure<unit::Probability>>(&probability))
    return plots::log10(enclosure->upper());
  return plots::log10(std::get<numeric::Approximation<unit::Probability>>(probability).value);
}

}  // namespace tailbound::cli::plots
