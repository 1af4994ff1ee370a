#pragma once

#include <tailbound/numeric/rational.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

/// Packet sizes, and the number of cells of a memory or a link that packets take.
///
/// MODEL     A packet has b bytes with a given probability, independently of earlier packets. It takes L =
///           ceil(b / c) cells of c bytes.
/// TESTS     tests/traffic/packet_sizes_test.cpp
namespace tailbound::traffic {

/// Packets of one size.
struct SizeClass {
  std::int64_t bytes = 0;
  numeric::Rational share;  ///< fraction of the packets, above 0
  friend bool operator==(const SizeClass&, const SizeClass&) = default;
};

/// The cells of a packet.
struct CellClass {
  std::int64_t cells = 0;
  numeric::Rational share;  ///< fraction of the packets, above 0
};

/// The distribution of L.
struct CellCounts {
  std::vector<CellClass> classes;  ///< by increasing number of cells, each once
  numeric::Rational mean;          ///< E[L]
  numeric::Rational mean_square;   ///< E[L^2]

  [[nodiscard]] std::int64_t largest() const { return classes.back().cells; }
};

class PacketSizes {
 public:
  static constexpr std::int64_t max_bytes = 1'048'576;
  static constexpr std::size_t max_sizes = 1024;

  /// 64, 594 and 1518 bytes at 7 : 4 : 1, the mix known as IMIX.
  [[nodiscard]] static PacketSizes imix();
  /// "64:7,594:4,1518:1": bytes, a colon and a weight (default 1). Sizes may have units (9KB), weights
  /// percent signs. A first entry may declare the numbers after the sizes: "cdf", P(size <= S), or "weights".
  /// \param argument  names it in messages
  /// \throws InvalidArgument  no size, an invalid size or weight; without "weights" also weights that
  ///                          increase to 1 or 100, as a cumulative distribution does, or sizes below 64 with
  ///                          weights of at least 64
  [[nodiscard]] static PacketSizes of_list(std::string_view text, std::string_view argument);
  /// One size and its weight per line, separated by blanks, a comma or a semicolon. Empty lines and those
  /// that begin with # are ignored. A header line may declare the second column: "bytes cdf", "size,percent".
  /// \param source  the file's name, for messages
  /// \throws ParseError
  [[nodiscard]] static PacketSizes of_file(std::string_view text, std::string_view source);

  /// By increasing size, each once; the shares sum to 1.
  [[nodiscard]] const std::vector<SizeClass>& classes() const { return classes_; }
  [[nodiscard]] numeric::Rational mean_bytes() const;
  /// \param cell_bytes  c, 1 .. max_bytes
  [[nodiscard]] CellCounts cells(std::int64_t cell_bytes) const;

 private:
  explicit PacketSizes(std::vector<SizeClass> weighted);
  std::vector<SizeClass> classes_;
};

/// ceil(bytes / cell_bytes)
[[nodiscard]] constexpr std::int64_t cells_of(std::int64_t bytes, std::int64_t cell_bytes) {
  return (bytes + cell_bytes - 1) / cell_bytes;
}

}  // namespace tailbound::traffic
