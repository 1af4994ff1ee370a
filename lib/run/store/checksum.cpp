#include <tailbound/run/store/checksum.hpp>

#include <boost/crc.hpp>

namespace tailbound::run {

std::uint64_t checksum(std::string_view bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693ULL, ~0ULL, ~0ULL, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

}  // namespace tailbound::run
