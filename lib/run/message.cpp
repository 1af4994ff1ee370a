#include <tailbound/core/error.hpp>
#include <tailbound/run/bytes.hpp>
#include <tailbound/run/message.hpp>

#include <new>
#include <stdexcept>

namespace tailbound::run {
namespace {

enum class Thrown : std::uint8_t {
  other,
  invalid_argument,
  parse_error,
  no_answer,
  stopped,
  limit_exceeded,
  no_memory
};

void put_failure(ByteWriter& writer, Thrown type, std::string_view what) {
  writer.put(static_cast<std::uint8_t>(type));
  writer.put(what);
}

void put_failure(ByteWriter& writer, const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const InvalidArgument& error) {
    put_failure(writer, Thrown::invalid_argument, error.argument());
    writer.put(std::string_view(error.value()));
    writer.put(std::string_view(error.legal()));
  } catch (const ParseError& error) {
    // Its text begins with the location, which is prepended again.
    const ParseError place(error.source(), error.line(), error.column(), "");
    const std::string_view what = error.what();
    put_failure(writer, Thrown::parse_error, what.substr(std::string_view(place.what()).size()));
    writer.put(std::string_view(error.source()));
    writer.put<std::uint64_t>(error.line());
    writer.put<std::uint64_t>(error.column());
  } catch (const Stopped& error) {
    put_failure(writer, Thrown::stopped, error.what());
  } catch (const LimitExceeded& error) {
    put_failure(writer, Thrown::limit_exceeded, error.what());
  } catch (const NoAnswer& error) {
    put_failure(writer, Thrown::no_answer, error.what());
  } catch (const std::bad_alloc&) {
    put_failure(writer, Thrown::no_memory, "");
  } catch (const std::exception& error) {
    put_failure(writer, Thrown::other, error.what());
  } catch (...) {
    put_failure(writer, Thrown::other, "an unknown failure");
  }
}

std::exception_ptr get_failure(ByteReader& reader) {
  const auto type = static_cast<Thrown>(reader.get<std::uint8_t>());
  const std::string what = reader.get_text();
  switch (type) {
    case Thrown::invalid_argument: {
      const std::string value = reader.get_text(), legal = reader.get_text();
      return std::make_exception_ptr(InvalidArgument(what, value, legal));
    }
    case Thrown::parse_error: {
      const std::string source = reader.get_text();
      const auto line = reader.get<std::uint64_t>(), column = reader.get<std::uint64_t>();
      return std::make_exception_ptr(ParseError(source, line, column, what));
    }
    case Thrown::stopped:
      return std::make_exception_ptr(Stopped(what));
    case Thrown::limit_exceeded:
      return std::make_exception_ptr(LimitExceeded(what));
    case Thrown::no_answer:
      return std::make_exception_ptr(NoAnswer(what));
    case Thrown::no_memory:
      return std::make_exception_ptr(std::bad_alloc());
    case Thrown::other:
      break;
  }
  return std::make_exception_ptr(std::runtime_error(what));
}

}  // namespace

std::string encoded(const Message& message) {
  ByteWriter writer;
  writer.put(static_cast<std::uint8_t>(message.kind));
  writer.put<std::uint64_t>(message.piece);
  writer.put(message.done);
  writer.put(std::string_view(message.bytes));
  if (message.kind == Message::Kind::failed) put_failure(writer, message.failure);
  return writer.take();
}

Message decoded(std::string_view bytes) {
  ByteReader reader(bytes);
  Message message;
  message.kind = static_cast<Message::Kind>(reader.get<std::uint8_t>());
  message.piece = reader.get<std::uint64_t>();
  message.done = reader.get<double>();
  message.bytes = reader.get_text();
  if (message.kind == Message::Kind::failed) message.failure = get_failure(reader);
  if (!reader.at_end()) ByteReader::fail();
  return message;
}

std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown failure";
  }
}

}  // namespace tailbound::run
