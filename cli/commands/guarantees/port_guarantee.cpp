#include <fmt/format.h>
#include <cli/commands/guarantees/guarantee_options.hpp>
#include <cli/options/number_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/render/documents/guarantee/port_guarantee.hpp>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>

#include <algorithm>
#include <vector>

namespace tailbound::cli {
namespace {

using answers::PortGuaranteeQuery;
using answers::PortSolve;
using numeric::Rational;
using queue::FlowGroup;
using queue::FlowKind;

constexpr std::int64_t largest_buffer = PortGuaranteeOptions::largest_buffer;
/// The numbers of --bucket "N x R,B,P,PB", in this order.
constexpr const char* legal_bucket_numbers[] = {
    "N x R,B with R above 0 and at most 1000000000 packets per slot, such as 100 x 1/125,4",
    "N x R,B with B from 1 to 1000000000 packets (the packet that is sent counts), such as 100 x 1/125,4",
    "N x R,B,P with P above 0 and at most 1000000000 packets per slot, such as 8 x 0.1,200,10",
    "N x R,B,P,PB with PB from 1 to 1000000000 packets (the packet that is sent counts), such as "
    "8 x 0.1,200,10,20"};

std::vector<std::string> parts_of(const std::string& text, const char* separator) {
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(separator));
  for (std::string& part : parts) boost::trim(part);
  return parts;
}

class FlowReader {
 public:
  explicit FlowReader(PortSolve solve) : solve_(solve) {}

  /// "100 x 1/125,4; 20 x 1/100,2,1; 8 x 0.1,200,10,20"
  void read(const AnyRow& flows, FlowKind kind) {
    if (!flows.given()) return;
    for (const std::string& part : parts_of(flows.text(), ";"))
      read_group(part, flows.name(), kind, flows.text());
  }
  /// \throws InvalidArgument  no flows, or the unknown is not named, or named twice
  [[nodiscard]] std::size_t varied() const {
    if (solve_ != PortSolve::buffer && !found_)
      throw needs(fmt::format("--solve {}", name_of(solve_)),
                  solve_ == PortSolve::flows
                      ? "the letter n in place of the number of flows, such as --bucket \"n x 1/125,4\""
                      : "the letter r in place of the rate or t in place of the period, such as --bucket "
                        "\"100 x r,4\" or --periodic \"100 x t\"");
    return found_.value_or(0);
  }
  [[nodiscard]] const std::vector<FlowGroup>& groups() const { return groups_; }

 private:
  void read_group(const std::string& part, const std::string& option, FlowKind kind,
                  const std::string& text) {
    const bool policed = kind == FlowKind::regulated;
    const char* legal =
        policed
            ? "N x R,B, N x R,B,P or N x R,B,P,PB, such as 100 x 1/125,4 or 8 x 0.1,200,10,20; several with "
              "; between them"
            : "N x PERIOD or N x PERIOD,BATCH, such as 60 x 200; several with ; between them";
    const std::size_t times = part.find('x');
    if (times == std::string::npos) {
      // The unknown number of flows is missing.
      if (solve_ == PortSolve::flows)
        throw InvalidArgument(option, text, "n x " + part + ", with n for the number of flows");
      throw InvalidArgument(option, text, legal);
    }
    const std::string count = boost::trim_copy(part.substr(0, times));
    const std::vector<std::string> numbers = parts_of(part.substr(times + 1), ",");
    if (numbers.size() > (policed ? 4U : 2U) || (policed && numbers.size() < 2) || count.empty() ||
        std::find(numbers.begin(), numbers.end(), "") != numbers.end())
      throw InvalidArgument(option, text, legal);
    FlowGroup group{.kind = kind};
    group.count = is_unknown(count, "n", PortSolve::flows, option, text)
                      ? 1
                      : parse_integer(count, option, 1, FlowGroup::max_flows);
    if (policed) {
      const bool unknown = is_unknown(numbers[0], "r", PortSolve::rate, option, text);
      const auto number = [&](std::size_t at) { return bucket_number(numbers, at, option, text); };
      group.buckets.push_back({unknown ? Rational(1) / 1000 : number(0), number(1)});
      if (numbers.size() > 2) group.buckets.push_back(traffic::peak_of(number(2)));
      if (numbers.size() > 3) group.buckets.back().burst = number(3);
    } else {
      const bool unknown = is_unknown(numbers[0], "t", PortSolve::rate, option, text);
      group.period = unknown ? FlowGroup::longest_period
                             : parse_integer(numbers[0], option, 1, FlowGroup::longest_period);
      if (numbers.size() == 2) group.batch = parse_integer(numbers[1], option, 1, FlowGroup::largest_batch);
    }
    groups_.push_back(std::move(group));
  }

  /// The number at `at` of R,B,P,PB.
  static Rational bucket_number(const std::vector<std::string>& numbers, std::size_t at,
                                const std::string& option, const std::string& text) {
    const bool burst = at % 2 == 1;
    try {
      const Rational number =
          burst ? numeric::parse_rational(numbers[at], option) : numeric::parse_share(numbers[at], option);
      if (number > 0 && (!burst || number >= 1) && number <= largest_buffer) return number;
    } catch (const InvalidArgument&) {
      // Reported with the range.
    }
    throw InvalidArgument(option, text, legal_bucket_numbers[at]);
  }

  bool is_unknown(const std::string& given, const char* letter, PortSolve solve, const std::string& option,
                  const std::string& text) {
    if (given != letter) return false;
    if (solve_ != solve || found_)
      throw InvalidArgument(
          option, text,
          found_ ? "a list with a single unknown"
                 : fmt::format("without the letter {} unless --solve {} is given", letter, name_of(solve)));
    found_ = groups_.size();
    return true;
  }

  PortSolve solve_;
  std::vector<FlowGroup> groups_;
  std::optional<std::size_t> found_;
};

answers::Assurance read_how_sure(const PortGuaranteeOptions& options) {
  if (options.drop && options.ever)
    throw not_allowed_with("--ever", "--drop", "--drop is a share of time, --ever a share of start-ups");
  if (options.drop) return answers::ShareOfTime{options.drop.value()};
  if (options.ever) return answers::ShareOfStarts{options.ever.value()};
  return answers::Never{};
}

}  // namespace

Reply answer_port_guarantee(const GuaranteeOptions& options, const Context& context) {
  const PortGuaranteeOptions& given = options.port;
  PortGuaranteeQuery query{.flows = {}, .assurance = read_how_sure(given)};
  query.solve = given.solve.value();
  FlowReader reader(query.solve);
  reader.read(given.bucket, FlowKind::regulated);
  reader.read(given.periodic, FlowKind::periodic);
  reader.read(given.sporadic, FlowKind::sporadic);
  query.flows = reader.groups();
  query.varied = reader.varied();
  if (given.capacity || query.solve != PortSolve::buffer) query.capacity = given.capacity.value();
  if (query.solve == PortSolve::buffer && query.capacity)
    reject_with({&given.drop, &given.ever}, "--capacity",
                "the result is how often the buffer is exceeded; add --solve flows or --solve rate");
  const answers::Units units = read_units(options.units);
  const answers::PortGuaranteeAnswer answer =
      answers::as_piece(analysis_run(context), [&] { return answers::answer(query); });
  return {.document = render::document(query, answer, units)};
}

}  // namespace tailbound::cli
