#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/render/picture.hpp>
#include <tailbound/render/text_table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tailbound::render {
namespace {

/// Colours that stay apart for the colour-blind and in grey print (Okabe and Ito 2008), without yellow.
constexpr const char* colours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#444444"};
constexpr std::size_t colour_count = std::size(colours);
/// Of the first six curves, and of the second six.
constexpr const char* dashes[] = {"dashtype 1", "dashtype (10,6)"};
/// Disc, square, triangle, diamond, ring, open square, ...: gnuplot's pointtypes.
constexpr int markers[] = {7, 5, 9, 13, 6, 4, 8, 12, 11, 2, 10, 3};

struct Terminal {
  const char* name;
  const char* commands;
  int note_points;  ///< of the font that a note is set in
};
constexpr Terminal terminals[] = {
    {"svg", "svg size 800,520 dynamic enhanced font 'Helvetica,16' background '#ffffff'", 9},
    {"png", "pngcairo size 1200,780 enhanced font 'Sans,18' linewidth 1.5", 11},
    {"pdf", "pdfcairo size 16cm,10.4cm enhanced font 'Helvetica,12' linewidth 1.5", 7}};

const Terminal& terminal_named(const std::string& name) {
  for (const Terminal& terminal : terminals)
    if (terminal.name == name) return terminal;
  throw std::logic_error("no such terminal: " + name);
}

/// A literal for gnuplot: between single quotes only the quote itself is special; a line end would end the
/// command.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "'";
}

/// A text that is too long for one line above a picture, in several of about the same length.
std::string quoted_lines(const std::string& text) {
  constexpr std::size_t longest = 96, play = 8;  // characters that fit; those by which lines may differ
  const std::size_t lines = (width(text) + longest - 1) / longest;
  std::string result;
  for (const std::string& line :
       folded(text, lines < 2 ? longest : std::min(longest, text.size() / lines + play)))
    result += (result.empty() ? "" : ".\"\\n\".") + quoted(line);
  return result.empty() ? quoted(text) : result;
}

/// A label in a data block: between double quotes, which it therefore does not hold.
std::string data_label(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '"' || c == '\\' || (c >= 0 && c < ' '); }, ' ');
  return '"' + text + '"';
}

/// Has a value a place on the y axis?
bool drawable(const Picture& picture, double y) {
  return std::isfinite(y) && (y > 0 || picture.powers_of_ten || !picture.log_y);
}

std::pair<double, double> y_range(const Picture& picture) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const Curve& curve : picture.curves)
    for (const auto& [x, y] : curve.points)
      if (drawable(picture, y)) low = std::min(low, y), high = std::max(high, y);
  for (const Curve& curve : picture.curves)
    for (const auto& [lower, upper] : curve.ends) high = std::max(high, upper);  // bars may leave at the foot
  return {low, high};
}

/// 1, 2 or 5 times a power of ten: the greatest that is at most `value`, or the least that is at least that.
double round_number(double value, bool up) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  constexpr double close = 1e-9;  // of what is such a number but for rounding
  double last = power;
  for (const double factor : {1, 2, 5, 10}) {
    const double number = factor * power;
    if (up && number >= value * (1 - close)) return number;
    if (!up && number > value * (1 + close)) return last;
    last = number;
  }
  return last;
}

/// A logarithmic axis for values: ticks at powers of ten, of a short one at 1, 2 and 5 times these.
std::string log_axis(double low, double high) {
  const double foot = round_number(low, false), head = round_number(std::max(high, foot * 2), true);
  std::string text = fmt::format("set logscale y\nset format y '%g'\nset yrange [{:g}:{:g}]\n", foot, head);
  constexpr double short_span = 500;
  if (head / foot > short_span) return text;
  text += "set ytics (";
  for (double tick = foot; tick <= head * 1.001; tick = round_number(tick * 1.5, true))
    text += fmt::format("{}{:g}", tick == foot ? "" : ", ", tick);
  return text + ")\n";
}

/// A step of 1, 2 or 5 times a power of ten, at least 1, that divides `span` into at most about eight.
double power_step(double span) {
  double step = 1;
  for (int i = 0; span / step > 8; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

std::string style(const Curve& curve, std::size_t place) {
  const char* colour = colours[place % colour_count];
  const char* dash = dashes[place / colour_count % std::size(dashes)];
  const int marker = markers[place % std::size(markers)];
  switch (curve.style) {
    case CurveStyle::points_and_line:
      return fmt::format("with linespoints linewidth 2 pointtype {} pointsize 0.8 linecolor rgb '{}' {}",
                         marker, colour, dash);
    case CurveStyle::line:
      return fmt::format("with lines linewidth 2.5 linecolor rgb '{}' {}", colour, dash);
    case CurveStyle::marks:
      return "using 1:2:3 with labels left offset 0.8,0.5 point pointtype 7 pointsize 0.7 "
             "linecolor rgb '#222222' noenhanced";
    case CurveStyle::steps:
      return "with steps linewidth 5 linecolor rgb '#8ec6e8'";  // wide and light: the asymptote lies on it
    case CurveStyle::dashed:
      return fmt::format("with lines linewidth 1.8 dashtype (12,8) linecolor rgb '{}'", colour);
    case CurveStyle::bars:
      // Not `yerrorbars`: they blank a disc around each point, which hides short bars.
      return fmt::format(
          "using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 linewidth 1.5 linecolor rgb '{0}' "
          "notitle, '' using 1:2 with points pointtype {1} pointsize 0.7 linecolor rgb '{0}'",
          colour, marker);
    case CurveStyle::rule:
      return "with lines linewidth 1.5 dashtype (3,5) linecolor rgb '#444444'";
  }
  return {};
}

std::string axes(const Picture& picture, const Terminal& terminal) {
  std::string text = fmt::format("set terminal {}\n", terminal.commands);
  text +=
      "set encoding utf8\nset border 3 linecolor rgb '#444444'\nset tics nomirror out textcolor rgb "
      "'#222222'\n"
      "set grid linecolor rgb '#c8c8c8' linewidth 1 dashtype 1\nset style fill solid\nset pointintervalbox "
      "0\n";
  text += fmt::format("set title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
                      quoted_lines(picture.title), quoted(picture.x_label), quoted(picture.y_label));
  const std::vector<std::string> note = folded(picture.note, 110);
  if (!note.empty()) text += fmt::format("set bmargin {}\n", 5 + note.size());
  for (std::size_t i = 0; i < note.size(); ++i)
    text += fmt::format("set label {} {} at screen 0.5, screen {:.3f} center font ',{}' noenhanced\n", i + 1,
                        quoted(note[i]), 0.025 + 0.03 * static_cast<double>(note.size() - 1 - i),
                        terminal.note_points);
  if (picture.curves.size() > 1) {
    // Above the plot, where it hides no curve; long titles in fewer columns.
    std::size_t longest = 1;
    for (const Curve& curve : picture.curves) longest = std::max(longest, width(curve.title));
    const std::size_t columns =
        std::clamp<std::size_t>(70 / (longest + 6), 1, picture.curves.size() == 4 ? 2 : 4);
    text += fmt::format("set key outside top center horizontal maxcols {} spacing 1.2 samplen 3 noenhanced\n",
                        columns);
  } else {
    text += "set key off\n";
  }
  const auto [low, high] = y_range(picture);
  if (picture.powers_of_ten) {
    const double step = power_step(high - low);
    text += fmt::format("set format y '10^{{%.0f}}'\nset ytics {}\nset yrange [{}:{}]\n", step,
                        std::floor(low / step) * step,
                        std::max(std::ceil(high / step), std::floor(low / step) + 1) * step);
  } else if (picture.log_y) {
    if (!(high > 0)) throw NoAnswer("there is nothing to draw on a logarithmic axis: no value is above 0");
    text += log_axis(low, high);
  } else {
    text += fmt::format("set yrange [0:{}]\n", high > 0 ? "*" : "1");
  }
  text += "set autoscale xfix\n";
  // Labels stand to the right of their points.
  const bool labels = std::any_of(picture.curves.begin(), picture.curves.end(), [](const Curve& curve) {
    return std::any_of(curve.labels.begin(), curve.labels.end(),
                       [](const auto& label) { return !label.empty(); });
  });
  return text + fmt::format("set offsets graph 0.02, graph {}, 0, 0\n", labels ? 0.3 : 0.02);
}

std::string data_block(const Picture& picture, std::size_t number, double foot) {
  const Curve& curve = picture.curves[number];
  std::string text = fmt::format("$curve{} << end_of_curve\n", number);
  for (std::size_t j = 0; j < curve.points.size(); ++j) {
    const auto& [x, y] = curve.points[j];
    if (!drawable(picture, y)) continue;
    text += fmt::format("{:.17g} {:.17g}", x, y);
    if (curve.style == CurveStyle::marks)
      text += " " + data_label(j < curve.labels.size() ? curve.labels[j] : "");
    if (curve.style == CurveStyle::bars)
      text += fmt::format(" {:.17g} {:.17g}", std::max(curve.ends[j].first, foot), curve.ends[j].second);
    text += "\n";
  }
  return text + "end_of_curve\n";
}

}  // namespace

std::string to_gnuplot(const Picture& picture, const std::string& terminal) {
  std::string text = axes(picture, terminal_named(terminal));
  const double low = y_range(picture).first;
  // Bars may leave at the foot of the picture.
  const double foot = picture.log_y && !picture.powers_of_ten ? low / 1000 : low - 10;
  for (std::size_t i = 0; i < picture.curves.size(); ++i) text += data_block(picture, i, foot);
  text += "plot ";
  for (std::size_t i = 0; i < picture.curves.size(); ++i) {
    const Curve& curve = picture.curves[i];
    text += fmt::format("{}$curve{} {} title {}", i == 0 ? "" : ", ", i,
                        style(curve, curve.colour ? static_cast<std::size_t>(*curve.colour) : i),
                        quoted(curve.title));
  }
  return text + "\n";
}

}  // namespace tailbound::render
