#include <tailbound/run/store/checksum.hpp>
#include <tailbound/run/store/parts.hpp>

#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/binary_from_base64.hpp>
#include <boost/archive/iterators/dataflow_exception.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <nlohmann/json.hpp>

#include <utility>

namespace tailbound::run {
namespace {

using Json = nlohmann::ordered_json;
namespace iterators = boost::archive::iterators;

constexpr const char* kind = "part of a run";
constexpr int part_format = 1;

std::string to_base64(const std::string& bytes) {
  using Encode = iterators::base64_from_binary<iterators::transform_width<const char*, 6, 8>>;
  std::string text(Encode(bytes.data()), Encode(bytes.data() + bytes.size()));
  return text.append((3 - bytes.size() % 3) % 3, '=');
}

std::string from_base64(std::string text) {
  using Decode = iterators::transform_width<iterators::binary_from_base64<const char*>, 8, 6>;
  while (!text.empty() && text.back() == '=') text.pop_back();
  const std::size_t size = text.size() * 6 / 8;
  text.append((4 - text.size() % 4) % 4, 'A');
  std::string bytes(Decode(text.data()), Decode(text.data() + text.size()));
  bytes.resize(size);
  return bytes;
}

std::string in_hex(std::uint64_t value) {
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; value >>= 4U) text[i] = "0123456789abcdef"[value & 15U];
  return text;
}

Json json_of(const JobResults& job) {
  Json results = Json::object();
  for (const auto& [number, bytes] : job.results) results[std::to_string(number)] = to_base64(bytes);
  return {{"of", job.identity},
          {"pieces", job.pieces},
          {"seconds", job.seconds},
          {"results", std::move(results)}};
}

JobResults job_of(const Json& json) {
  JobResults job{
      .identity = json.at("of"), .pieces = json.at("pieces"), .seconds = json.at("seconds"), .results = {}};
  for (const auto& [number, text] : json.at("results").items())
    job.results[std::stoull(number)] = from_base64(text.get<std::string>());
  return job;
}

Json json_of(const InputFile& file) {
  Json json{{"path", file.path}, {"bytes", file.size}, {"checksum", in_hex(file.checksum)}};
  if (file.content) json["content"] = to_base64(*file.content);
  return json;
}

InputFile file_of(const Json& json) {
  InputFile file{.path = json.at("path"), .size = json.at("bytes"), .checksum = 0, .content = {}};
  file.checksum = std::stoull(json.at("checksum").get<std::string>(), nullptr, 16);
  if (json.contains("content")) file.content = from_base64(json.at("content").get<std::string>());
  return file;
}

std::string checksum_of(const Json& json) {
  return in_hex(checksum(json.dump()));
}

Part part_of(const Json& json) {
  Part part{.version = json.at("version"),
            .query = json.at("query"),
            .files = {},
            .number = {json.at("part"), json.at("parts")},
            .complete = json.at("complete"),
            .jobs = {}};
  for (const Json& file : json.at("files")) part.files.push_back(file_of(file));
  for (const Json& job : json.at("jobs")) part.jobs.push_back(job_of(job));
  return part;
}

}  // namespace

std::string to_text(const Part& part) {
  Json json{{"tailbound", kind},         {"format", part_format},      {"version", part.version},
            {"query", part.query},       {"part", part.number.number}, {"parts", part.number.of},
            {"complete", part.complete}, {"files", Json::array()},     {"jobs", Json::array()}};
  for (const InputFile& file : part.files) json["files"].push_back(json_of(file));
  for (const JobResults& job : part.jobs) json["jobs"].push_back(json_of(job));
  json["checksum"] = checksum_of(json);
  return json.dump(1) + "\n";
}

Part read_part(std::string_view text, const std::string& source) {
  try {
    Json json = Json::parse(text);
    if (!json.is_object() || json.value("tailbound", "") != kind)
      throw ParseError(source, 0, 0, "not a part file written by --part");
    if (json.at("format") != part_format)
      throw ParseError(source, 0, 0, "a part file of a format that this version does not read");
    const std::string stated = json.at("checksum");
    json.erase("checksum");
    if (stated != checksum_of(json)) throw ParseError(source, 0, 0, "damaged (wrong checksum)");
    return part_of(json);
  } catch (const nlohmann::json::exception&) {
    throw ParseError(source, 0, 0, "not a part file, or truncated");
  } catch (const iterators::dataflow_exception&) {
    throw ParseError(source, 0, 0, "damaged");
  } catch (const std::logic_error&) {
    throw ParseError(source, 0, 0, "damaged");
  }
}

}  // namespace tailbound::run
