#include <tailbound/sim/batches/checkpoint.hpp>
#include <tailbound/sim/bytes.hpp>

namespace tailbound::sim {
namespace {

constexpr std::string_view magic = "tailbound-state\n";
constexpr std::uint32_t version = 3;

[[noreturn]] void reject(const std::string& why) {
  throw ParseError("checkpoint", 0, 0, why);
}

}  // namespace

std::string seal_checkpoint(std::string_view fingerprint, std::string_view content) {
  ByteWriter body;
  body.put(fingerprint);
  body.put(content);
  const std::string inside = body.take();
  ByteWriter writer;
  writer.put(version);
  writer.put(std::string_view(inside));
  std::string bytes = std::string(magic) + writer.take();
  ByteWriter tail;
  tail.put(checksum(bytes));
  return bytes + tail.take();
}

std::string open_checkpoint(std::string_view fingerprint, std::string_view bytes) {
  if (!bytes.starts_with(magic)) reject("not a checkpoint of tailbound");
  constexpr std::size_t head = magic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);
  constexpr std::size_t tail = sizeof(std::uint64_t);
  if (bytes.size() < head + tail) reject("truncated");
  ByteReader reader(bytes.substr(magic.size()));
  const auto its_version = reader.get<std::uint32_t>();
  if (its_version != version)
    reject("of format version " + std::to_string(its_version) + "; this program reads version " +
           std::to_string(version));
  const auto length = reader.get<std::uint64_t>();
  if (length != bytes.size() - head - tail) reject("truncated, or with trailing bytes");
  ByteReader end(bytes.substr(bytes.size() - tail));
  if (end.get<std::uint64_t>() != checksum(bytes.substr(0, bytes.size() - tail)))
    reject("damaged (wrong checksum)");
  const std::string its_fingerprint = reader.get_text();
  if (its_fingerprint != fingerprint)
    throw InvalidArgument("the checkpoint's simulation", "\"" + its_fingerprint + "\"",
                          "\"" + std::string(fingerprint) + "\"");
  return reader.get_text();
}

std::optional<std::string> checkpoint_fingerprint(std::string_view head) {
  if (!head.starts_with(magic)) return {};
  try {
    ByteReader reader(head.substr(magic.size()));
    static_cast<void>(reader.get<std::uint32_t>());  // version
    static_cast<void>(reader.get<std::uint64_t>());  // length
    return reader.get_text();
  } catch (const ParseError&) {
    return {};
  }
}

}  // namespace tailbound::sim
