#include <fmt/format.h>
#include <tailbound/core/error.hpp>
#include <tailbound/core/printable.hpp>
#include <tailbound/render/formats/text_table.hpp>
#include <tailbound/render/picture.hpp>

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

/// Sizes of fonts follow from one another, so that a picture looks the same in every format.
struct Terminal {
  const char* name;
  const char* commands;
  double font;
  double point;  ///< size of a point, in the terminal's own measure
  [[nodiscard]] std::string small() const { return fmt::format(",{:g}", std::round(font * 0.82)); }
  [[nodiscard]] std::string note() const { return fmt::format(",{:g}", std::round(font * 0.7)); }
};
constexpr Terminal terminals[] = {
    {"svg", "svg size 800,520 dynamic enhanced font 'Helvetica,16' background '#ffffff'", 16, 0.55},
    {"png", "pngcairo size 1600,1040 enhanced font 'Helvetica,24' linewidth 2 pointscale 2", 24, 0.9},
    {"pdf", "pdfcairo size 16cm,10.4cm enhanced font 'Helvetica,12' linewidth 1.5", 12, 0.6}};

// Characters that fit beside each other on the canvas, estimated on the wide side.
constexpr std::size_t title_columns = 84, small_columns = 100, note_columns = 120;

const Terminal& terminal_named(const std::string& name) {
  for (const Terminal& terminal : terminals)
    if (terminal.name == name) return terminal;
  throw std::logic_error("no such terminal: " + name);
}

/// A text for gnuplot: between single quotes only the quote itself is special, and stands between double ones, which know
/// commands. Line ends would end it; "]]>" would end the text of an SVG file.
std::string plot_quoted(const std::string& text) {
  std::string plain = printable(text, LineEnds::shown);
  for (std::size_t at; (at = plain.find("]]>")) != std::string::npos;) plain.insert(at + 2, " ");
  std::string result = "'";
  for (const char c : plain) result += c == '\'' ? "'.\"'\".'" : std::string(1, c == '\t' ? ' ' : c);
  return result + "'";
}

/// A text that is too long for one line above a picture, in several of about the same length.
std::vector<std::string> title_lines(const std::string& text) {
  constexpr std::size_t play = 8;  // characters by which lines may differ
  const std::size_t lines = (width(text) + title_columns - 1) / title_columns;
  return folded(text, lines < 2 ? title_columns : std::min(title_columns, text.size() / lines + play));
}

std::string quoted_lines(const std::vector<std::string>& lines) {
  std::string result;
  for (const std::string& line : lines) result += (result.empty() ? "" : ".\"\\n\".") + plot_quoted(line);
  return result.empty() ? plot_quoted("") : result;
}

/// What fits into one line of the key.
std::string key_title(const std::string& text) {
  constexpr std::size_t longest = small_columns - 12;
  return width(text) <= longest ? text : folded(text, longest - 4).front() + " ...";
}

/// Has a value a place on the y axis?
bool drawable(const Picture& picture, double y) {
  return std::isfinite(y) && (y > 0 || picture.powers_of_ten || !picture.log_y);
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) { low = std::min(low, value), high = std::max(high, value); }
};

Range y_values(const Picture& picture) {
  Range range;
  for (const Curve& curve : picture.curves) {
    for (const auto& [x, y] : curve.points)
      if (drawable(picture, y) && !is_limit(curve)) range.add(y);
    for (const auto& [lower, upper] : curve.ends)  // bars may leave at the foot
      if (std::isfinite(upper)) range.high = std::max(range.high, upper);
  }
  return range;
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

/// A step of 1, 2 or 5 times a power of ten, at least 1, that divides `span` into at most about eight.
double power_step(double span) {
  double step = 1;
  for (int i = 0; span / step > 8; ++i) step *= i % 3 == 1 ? 2.5 : 2;
  return step;
}

/// An axis from end to end, and what gnuplot is told of it.
struct Axis {
  double low = 0, high = 1;
  bool logarithmic = false;
  std::string commands;

  /// 0 at its low end, 1 at its high end.
  [[nodiscard]] double share(double value) const {
    return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
};

/// Of values that are logarithms: a tick a decade or a few, and minor ones between, of single decades at 2 to 9.
Axis power_axis(const Range& values) {
  const double step = power_step(values.high - values.low);
  Axis axis;
  axis.low = std::floor(values.low / step) * step;
  axis.high = std::max(std::ceil(values.high / step), std::floor(values.low / step) + 1) * step;
  axis.commands = fmt::format("set format y '10^{{%.0f}}'\nset ytics {}\nset yrange [{}:{}]\n", step,
                              axis.low, axis.high);
  if (step > 1) {
    const double leading = step / std::pow(10, std::floor(std::log10(step)));
    return axis.commands += fmt::format("set mytics {}\n", step == 2 ? 2 : leading == 2 ? 4 : 5), axis;
  }
  std::string minor;
  for (double decade = axis.low; decade < axis.high; ++decade)
    for (int digit = 2; digit <= 9; ++digit)
      minor += fmt::format("{}'' {:.4f} 1", minor.empty() ? "" : ", ", decade + std::log10(digit));
  axis.commands += "set ytics add (" + minor + ")\n";
  return axis;
}

/// Of values: ticks at powers of ten, of a short axis at 1, 2 and 5 times these.
Axis log_axis(const Range& values) {
  Axis axis;
  axis.logarithmic = true;
  axis.low = round_number(values.low, false);
  axis.high = round_number(std::max(values.high, axis.low * 2), true);
  axis.commands =
      fmt::format("set logscale y\nset format y '%g'\nset yrange [{:g}:{:g}]\n", axis.low, axis.high);
  constexpr double short_span = 500, close = 1.001;
  if (axis.high / axis.low > short_span) return axis.commands += "set mytics\n", axis;
  std::string ticks;
  for (double tick = axis.low; tick <= axis.high * close; tick = round_number(tick * 1.5, true))
    ticks += fmt::format("{}{:g}", ticks.empty() ? "" : ", ", tick);
  for (double decade = std::pow(10, std::floor(std::log10(axis.low))); decade <= axis.high; decade *= 10)
    for (const int digit : {3, 4, 6, 7, 8, 9})
      if (digit * decade > axis.low && digit * decade < axis.high)
        ticks += fmt::format(", '' {:g} 1", digit * decade);
  axis.commands += "set ytics (" + ticks + ")\n";
  return axis;
}

Axis linear_axis(const Range& values) {
  Axis axis;
  constexpr double most_ticks = 10, close = 1e-9;
  const double step = values.high > 0 ? round_number(values.high / most_ticks, true) : 0.2;
  axis.high = values.high > 0 ? std::ceil(values.high / step - close) * step : 1;
  axis.commands =
      fmt::format("set format y '%h'\nset yrange [0:{:g}]\nset ytics {:g}\nset mytics\n", axis.high, step);
  return axis;
}

Axis y_axis(const Picture& picture) {
  const Range values = y_values(picture);
  if (picture.powers_of_ten) return power_axis(values);
  if (!picture.log_y) return linear_axis(values);
  if (!(values.high > 0))
    throw NoAnswer("there is nothing to draw on a logarithmic axis: no value is above 0");
  return log_axis(values);
}

/// As wide as the points, and a little more; around a single point a place for it.
Axis x_axis(const Picture& picture) {
  Range range;
  for (const Curve& curve : picture.curves)
    for (const auto& [x, y] : curve.points)
      if (drawable(picture, y) || is_limit(curve)) range.add(x);
  if (!(range.low <= range.high)) range.add(0);
  Axis axis;
  std::string ticks = "set mxtics\n";
  if (range.low == range.high) {
    const bool whole = range.low == std::floor(range.low);
    const double around = whole ? 1 : std::abs(range.low) / 2;
    axis.low = range.low - around, axis.high = range.high + around;
    if (whole) ticks = "set xtics 1\n";
  } else {
    constexpr double margin = 0.02;
    const double around = margin * (range.high - range.low);
    axis.low = range.low - around, axis.high = range.high + around;
  }
  axis.commands =
      fmt::format("set format x '%h'\nset xrange [{:.10g}:{:.10g}]\n", axis.low, axis.high) + ticks;
  return axis;
}

/// A rectangle in shares of both axes.
struct Box {
  double left, right, foot, head;
  [[nodiscard]] bool meets(const Box& other) const {
    return left < other.right && other.left < right && foot < other.head && other.foot < head;
  }
};

/// Labels beside their marks, right above or left below (where a falling tail is not), the rightmost first; one
/// that would leave the picture or meet another is left out.
std::string mark_labels(const Picture& picture, const Axis& x, const Axis& y, const Terminal& terminal) {
  constexpr double letter = 0.0108, height = 0.048, aside = 0.012, off = 0.006;
  std::string text;
  std::vector<Box> taken;
  int number = 100;  // behind those of the note
  for (const Curve& curve : picture.curves) {
    if (curve.style != CurveStyle::marks) continue;
    for (std::size_t i = std::min(curve.points.size(), curve.labels.size()); i-- > 0;) {
      const std::string& label = curve.labels[i];
      if (label.empty() || !drawable(picture, curve.points[i].second)) continue;
      const double at = x.share(curve.points[i].first), level = y.share(curve.points[i].second);
      const double length = letter * static_cast<double>(width(label));
      const Box right{at + aside, at + aside + length, level + off, level + off + height};
      const Box left{at - aside - length, at - aside, level - off - height, level - off};
      for (const Box& box : {right, left}) {
        if (box.left < 0 || box.right > 1 || box.foot < 0 || box.head > 1) continue;
        if (std::any_of(taken.begin(), taken.end(), [&](const Box& other) { return other.meets(box); }))
          continue;
        taken.push_back(box);
        text += fmt::format(
            "set label {} {} at graph {:.4f}, graph {:.4f} left noenhanced front font '{}' textcolor rgb "
            "'#222222'\n",
            number++, plot_quoted(label), box.left, (box.foot + box.head) / 2, terminal.small());
        break;
      }
    }
  }
  return text;
}

std::string style(const Curve& curve, std::size_t place, double point) {
  const char* colour = colours[place % colour_count];
  const char* dash = dashes[place / colour_count % std::size(dashes)];
  const int marker = markers[place % std::size(markers)];
  if (has_markers(curve) && (curve.style == CurveStyle::line || curve.style == CurveStyle::dashed ||
                             curve.style == CurveStyle::steps))
    return fmt::format("with points linewidth 2 pointtype {} pointsize {:g} linecolor rgb '{}'", marker,
                       point, colour);
  switch (curve.style) {
    case CurveStyle::points_and_line:
      return fmt::format("with linespoints linewidth 2 pointtype {} pointsize {:g} linecolor rgb '{}' {}",
                         marker, point, colour, dash);
    case CurveStyle::line:
      return fmt::format("with lines linewidth 2.5 linecolor rgb '{}' {}", colour, dash);
    case CurveStyle::marks:
      return fmt::format("with points pointtype 7 pointsize {:g} linecolor rgb '#222222'", point);
    case CurveStyle::steps:
      return "with steps linewidth 5 linecolor rgb '#8ec6e8'";  // wide and light: the asymptote lies on it
    case CurveStyle::dashed:
      return fmt::format("with lines linewidth 1.8 dashtype (12,8) linecolor rgb '{}'",
                         is_limit(curve) ? "#444444" : colour);
    case CurveStyle::bars:
      // Not `yerrorbars`: they blank a disc around each point, which hides short bars.
      return fmt::format(
          "using 1:3:(0):($4-$3) with vectors heads size screen 0.005,90 linewidth 1.5 linecolor rgb '{0}' "
          "notitle, '' using 1:2 with points pointtype {1} pointsize {2:g} linecolor rgb '{0}'",
          colour, marker, point);
    case CurveStyle::rule:
      return "with lines linewidth 1.5 dashtype (3,5) linecolor rgb '#444444'";
  }
  return {};
}

/// Above the plot, where it hides no curve: columns of one width, as many as fit, rows about equally full.
struct Key {
  std::size_t columns = 1, rows = 0;
};

Key key_of(const Picture& picture) {
  constexpr std::size_t sample = 8, fit_beside = 92, most = 4;  // in letters; gnuplot reckons so
  std::size_t longest = 1, titled = 0;
  for (const Curve& curve : picture.curves) {
    longest = std::max(longest, width(key_title(curve.title)));
    if (!curve.title.empty()) ++titled;
  }
  if (picture.curves.size() < 2 || titled == 0) return {};
  const std::size_t fit = std::clamp<std::size_t>(fit_beside / (longest + sample), 1, std::min(titled, most));
  Key key{.rows = (titled + fit - 1) / fit};
  key.columns = (titled + key.rows - 1) / key.rows;
  return key;
}

std::string frame(const Picture& picture, const Terminal& terminal) {
  std::string text = fmt::format("set terminal {}\n", terminal.commands);
  text +=
      "set encoding utf8\nset border 3 linecolor rgb '#444444'\nset tics nomirror out textcolor rgb "
      "'#222222'\n"
      "set grid linecolor rgb '#c8c8c8' linewidth 1 dashtype 1\nset style fill solid\nset pointintervalbox "
      "0\n";
  constexpr double row = 1.05;  // of the key, in lines
  const Key key = key_of(picture);
  const double key_rows = row * static_cast<double>(key.rows);
  if (key.rows > 0) {
    text += fmt::format(
        "set key at graph 0.5, graph 1.02 center bottom horizontal maxcols {} reverse Left spacing 1.2 "
        "samplen 3 "
        "font '{}' noenhanced\n",
        key.columns, terminal.small());
  } else {
    text += "set key off\n";
  }
  const std::vector<std::string> title = title_lines(picture.title);
  text += fmt::format(
      "set title {} offset 0,{:.2f} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n",
      quoted_lines(title), key_rows, plot_quoted(picture.x_label), plot_quoted(picture.y_label));
  text += fmt::format("set tmargin {:.2f}\n", 1.6 + static_cast<double>(title.size()) + key_rows);
  const std::vector<std::string> note = folded(picture.note, note_columns);
  if (!note.empty()) text += fmt::format("set bmargin {}\n", 5 + note.size());
  for (std::size_t i = 0; i < note.size(); ++i)
    text += fmt::format("set label {} {} at screen 0.5, screen {:.3f} center font '{}' noenhanced\n", i + 1,
                        plot_quoted(note[i]), 0.025 + 0.032 * static_cast<double>(note.size() - 1 - i),
                        terminal.note());
  return text;
}

std::string data_block(const Picture& picture, std::size_t number, const Axis& y_axis) {
  const Curve& curve = picture.curves[number];
  std::string text = fmt::format("$curve{} << end_of_curve\n", number);
  for (std::size_t j = 0; j < curve.points.size(); ++j) {
    auto [x, y] = curve.points[j];
    if (is_limit(curve)) y = j == 0 ? y_axis.low : y_axis.high;
    if (!drawable(picture, y)) continue;
    text += fmt::format("{:.17g} {:.17g}", x, y);
    if (curve.style == CurveStyle::bars) {
      // Bars may leave at the foot of the picture.
      const double foot = y_axis.logarithmic ? y_axis.low / 1000 : y_axis.low - 10;
      text += fmt::format(" {:.17g} {:.17g}", std::max(curve.ends[j].first, foot), curve.ends[j].second);
    }
    text += "\n";
  }
  return text + "end_of_curve\n";
}

}  // namespace

std::string to_gnuplot(const Picture& given, const std::string& name) {
  const Picture picture = named_where_hidden(given);
  const Terminal& terminal = terminal_named(name);
  const Axis x = x_axis(picture), y = y_axis(picture);
  std::string text =
      frame(picture, terminal) + y.commands + x.commands + mark_labels(picture, x, y, terminal);
  for (std::size_t i = 0; i < picture.curves.size(); ++i) text += data_block(picture, i, y);
  // Points on top of lines: a line that is as good as it should be would hide them.
  std::vector<std::size_t> order(picture.curves.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_partition(order.begin(), order.end(), [&](std::size_t i) {
    const CurveStyle style = picture.curves[i].style;
    return style != CurveStyle::bars && style != CurveStyle::marks;
  });
  text += "plot ";
  for (const std::size_t i : order) {
    const Curve& curve = picture.curves[i];
    text +=
        fmt::format("{}$curve{} {} title {}", i == order.front() ? "" : ", ", i,
                    style(curve, curve.colour ? static_cast<std::size_t>(*curve.colour) : i, terminal.point),
                    plot_quoted(key_title(curve.title)));
  }
  return text + "\n";
}

}  // namespace tailbound::render
