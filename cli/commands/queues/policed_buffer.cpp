#include <fmt/format.h>
#include <cli/commands/queues/buffer_options.hpp>
#include <cli/options/replies.hpp>
#include <tailbound/answers/points/combinations.hpp>
#include <tailbound/render/documents/buffer/policed_buffer.hpp>

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>

#include <vector>

namespace tailbound::cli {
namespace {

using answers::PolicedBufferQuery;
using answers::PolicedVaried;
using numeric::Rational;
using queue::PolicedInputs;
using traffic::TokenBucket;

/// The bucket parameter to find, if --solve is given.
std::optional<PolicedVaried> read_varied(const BufferOptions& options) {
  if (!options.solve) return std::nullopt;
  if (*options.solve == "burst") return PolicedVaried::burst;
  if (*options.solve == "load") return PolicedVaried::rate;
  throw InvalidArgument(
      "--solve", *options.solve,
      "burst (--police 0.9,b: maximum tokens) or load (--police r,20: maximum rate) with --police");
}

/// "9/10,20;0.8,20"; a letter marks the unknown: "0.9,b", "r,20".
std::vector<TokenBucket> read_police(const std::string& text, std::optional<PolicedVaried> varied) {
  std::vector<std::string> parts;
  boost::split(parts, text, boost::is_any_of(";"));
  std::vector<TokenBucket> all;
  for (const std::string& part : parts) {
    const std::size_t comma = part.find(',');
    if (comma == std::string::npos || part.find(',', comma + 1) != std::string::npos)
      throw InvalidArgument("--police", text, "RATE,TOKENS, such as 9/10,20; several with ; between them");
    const std::string rate = part.substr(0, comma), burst = part.substr(comma + 1);
    const bool finds_rate = varied == PolicedVaried::rate, finds_burst = varied == PolicedVaried::burst;
    if (finds_rate != (rate == "r") || finds_burst != (burst == "b"))
      throw InvalidArgument("--police", text,
                            finds_rate    ? "r,TOKENS with --solve load, such as r,20"
                            : finds_burst ? "RATE,b with --solve burst, such as 9/10,b"
                                          : "RATE,TOKENS, such as 9/10,20; letters go with --solve");
    const TokenBucket bucket{finds_rate ? Rational(1) / 2 : numeric::parse_share(rate, "--police"),
                             finds_burst ? Rational(1) : numeric::parse_rational(burst, "--police")};
    if (bucket.rate <= 0 || bucket.rate >= 1)
      throw InvalidArgument("--police", text,
                            "a rate above 0 and below 1, the long-term packets per slot of an input");
    if (bucket.burst < 1 || bucket.burst > 1'000'000)
      throw InvalidArgument("--police", text, "1 to 1000000 tokens: the packet that is sent takes one");
    all.push_back(bucket);
  }
  return all;
}

std::vector<std::optional<Rational>> read_offered(const std::optional<std::string>& text) {
  if (!text) return {std::nullopt};
  std::vector<std::optional<Rational>> all;
  for (const Rational& offered : parse_percent_list(*text, "--offered")) all.emplace_back(offered);
  return all;
}

}  // namespace

void add_policed_buffer_options(OptionTable& table, PolicedBufferOptions& options) {
  const OptionGroup group(table, "Policed inputs");
  group.add("--police", options.police, "R,B",
            "token bucket per input: R packets per slot, B tokens.\nThe result holds for any arrival times "
            "within the buckets. Several: R,B;R,B. With --solve burst R,b (maximum tokens), with --solve "
            "load r,B (maximum rate)");
  group.add("--offered", options.offered, "P",
            "packets per slot of a conforming host.\nShows the effect of its bucket",
            must_be("above 0 and below the rate of the bucket", slider(0.01, 0.99, 0.01)));
  group.add("--message", options.message, "L",
            "maximum packets sent to one output together.\nDefault 1; above 1 the result is a bound",
            must_be(numeric::integers_in_words(1, PolicedInputs::longest_message), slider(1, 64, 1)));
}

Reply answer_policed(const BufferOptions& options, const Context& context) {
  const std::optional<PolicedVaried> varied = read_varied(options);
  const std::vector<std::int64_t> inputs =
      parse_integers(required(options.traffic.inputs, "--inputs",
                              "--police needs the number of inputs, such as --inputs 16"),
                     "--inputs", 1, PolicedInputs::max_inputs);
  const std::vector<std::int64_t> messages =
      integers_or(1, options.policed.message, "--message", 1, PolicedInputs::longest_message);
  std::vector<PolicedInputs> all;
  for (const std::int64_t each : inputs)
    for (const std::int64_t message : messages)
      for (const TokenBucket& bucket : read_police(*options.policed.police, varied))
        all.push_back({.inputs = each, .share = 1 / Rational(each), .bucket = bucket, .message = message});
  std::vector<PolicedBufferQuery> queries;
  if (varied) {
    const std::vector<std::int64_t> capacities =
        counts_of(required(options.capacity, "--capacity",
                           "--solve needs the buffer size in packets, such as --capacity 100"),
                  "--capacity", 1, 1'000'000'000, packet_unit(options.units));
    const std::vector<PolicedBufferQuery> wanted =
        answers::Combinations(
            PolicedBufferQuery{.inputs = {},
                               .requested = answers::MinBuffer{read_target(
                                   required(options.drop, "--drop",
                                            "--solve needs a target probability, such as --drop 1e-15"),
                                   "--drop")},
                               .accuracy = read_accuracy(options.accuracy)})
            .by(all, &PolicedBufferQuery::inputs)
            .by(read_offered(options.policed.offered), &PolicedBufferQuery::offered)
            .points();
    const answers::Run run = analysis_run(context);
    for (const PolicedBufferQuery& query : wanted)
      for (const std::int64_t capacity : capacities)
        queries.push_back(answers::as_piece(
            run, [&] { return answers::with_largest_bucket(query, Packets(capacity), *varied); }));
  } else {
    const std::vector<RequestedBuffer> requested = read_requested(
        options, 1'000'000'000,
        {.both =
             "give --drop alone for the buffer that meets a target, or --capacity alone for its probability",
         .missing = "give the target probability, such as --drop 1e-15, or a buffer with --capacity B"},
        packet_unit(options.units));
    queries =
        answers::Combinations(
            PolicedBufferQuery{.inputs = {}, .requested = {}, .accuracy = read_accuracy(options.accuracy)})
            .by(all, &PolicedBufferQuery::inputs)
            .by(read_offered(options.policed.offered), &PolicedBufferQuery::offered)
            .by(requested, &PolicedBufferQuery::requested)
            .points();
  }
  const answers::Units units = read_units(options.units);
  require_several_to_draw(context, queries.size(), "--police (R,B;R,B;..)");
  return show_all(
      queries, context, [&](const auto& points) { return render::document(points, units); },
      [&](const PolicedBufferQuery& query) { return render::inputs_of(query, units); });
}

}  // namespace tailbound::cli
