#include <tailbound/network/messages/message_class.hpp>
#include <tailbound/numeric/text/plain.hpp>

#include <algorithm>
#include <cctype>

namespace tailbound::network {

std::string share_text(const MessageClass& its) {
  return its.percent ? numeric::plain(*its.share * 100) + "%" : numeric::to_fraction(*its.share);
}

bool is_class_name(std::string_view name) {
  return !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) {
           return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
         });
}

}  // namespace tailbound::network
