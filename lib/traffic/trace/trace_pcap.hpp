#pragma once

#include <tailbound/traffic/trace/trace_packet.hpp>

#include <string>
#include <string_view>

/// Traces as pcap and pcapng files, through libpcap; times to a nanosecond.
///
/// TESTS     tests/traffic/trace_test.cpp, tests/fuzz/fuzz_pcap.cpp
namespace tailbound::traffic {

/// Is it one of these formats, from the first bytes of a file?
[[nodiscard]] bool is_pcap(std::string_view head);

/// Every packet of the file, one after the other; its bytes are those on the wire, not those that were kept.
/// \throws ParseError       the file is broken, with how many packets were read before
/// \throws InvalidArgument  it cannot be opened
void read_pcap(const std::string& path, const TakePacket& take);

}  // namespace tailbound::traffic
