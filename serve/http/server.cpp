#include <serve/http/server.hpp>
#include <serve/page/assets.hpp>
#include <serve/page/secret.hpp>

#include <tailbound/render/formats/html.hpp>
#include <tailbound/version.hpp>

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace tailbound::serve {
namespace {

constexpr std::size_t longest_path = 256;

/// How long a query waits for a free slot.
constexpr auto timeout = std::chrono::seconds(3);

constexpr const char* policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
    "'self'; "
    "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";

const httplib::Headers& headers_of_all() {
  static const httplib::Headers headers{{"Content-Security-Policy", policy},
                                        {"X-Content-Type-Options", "nosniff"},
                                        {"X-Frame-Options", "DENY"},
                                        {"Referrer-Policy", "no-referrer"},
                                        {"Cache-Control", "no-store"},
                                        {"Cross-Origin-Resource-Policy", "same-origin"},
                                        {"Cross-Origin-Opener-Policy", "same-origin"}};
  return headers;
}

struct Format {
  std::string_view name;
  const char* type;
  const char* ending;
};

constexpr Format formats[] = {{"html", "text/html; charset=utf-8", "html"},
                              {"page", "text/html; charset=utf-8", "html"},
                              {"table", "text/plain; charset=utf-8", "txt"},
                              {"json", "application/json", "json"},
                              {"csv", "text/csv; charset=utf-8", "csv"},
                              {"markdown", "text/markdown; charset=utf-8", "md"},
                              {"svg", "image/svg+xml", "svg"},
                              {"png", "image/png", "png"}};

const Format& format_named(const std::string& name) {
  return *std::find_if(std::begin(formats), std::end(formats),
                       [&](const Format& format) { return format.name == name; });
}

/// With the charset named, httplib does not compress this type; compression would take five times as long as
/// the query.
void show(httplib::Response& response, const Json& json) {
  response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace),
                       "application/json; charset=utf-8");
}

void reject(httplib::Response& response, int status, const std::string& message) {
  response.status = status;
  show(response, {{"error", {{"message", message}}}});
}

/// As a download, never displayed: it may contain a complete page.
void send_file(httplib::Response& response, const std::string& text, const std::string& name) {
  const Format& format = format_named(name);
  response.set_header("Content-Disposition",
                      std::string("attachment; filename=\"tailbound.") + format.ending + "\"");
  response.set_content(text, format.type);
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The host and port of a URL, between "//" and the path.
std::string authority(const std::string& host, const std::string& port) {
  return (host.find(':') == std::string::npos ? host : "[" + host + "]") + ":" + port;
}

bool is_address(const std::string& host) {
  in_addr four{};
  in6_addr six{};
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  const std::string bare = bracketed ? host.substr(1, host.size() - 2) : host;
  return inet_pton(AF_INET, bare.c_str(), &four) == 1 || inet_pton(AF_INET6, bare.c_str(), &six) == 1;
}

/// Is the Host header ours? Rejects foreign names that resolve to this machine (DNS rebinding).
bool is_own(const std::string& named, const std::string& host, const std::string& port) {
  if (port == "80" && named.find(':', named.rfind(']') + 1) == std::string::npos)
    return is_own(named + ":80", host, port);  // browsers omit the default port
  const std::string end = ":" + port;
  if (named.size() <= end.size() || named.compare(named.size() - end.size(), end.size(), end) != 0)
    return false;
  const std::string name = lower(named.substr(0, named.size() - end.size()));
  if (name == "127.0.0.1" || name == "localhost" || name == "[::1]") return true;
  if (named == authority(lower(host), port)) return true;
  return (host == "0.0.0.0" || host == "::") && is_address(name);
}

std::optional<std::string> header_of(const httplib::Request& request, const char* name) {
  if (!request.has_header(name)) return {};
  return request.get_header_value(name);
}

}  // namespace

Server::Server(const WorkLimits& limits)
    : pool_(limits), connections_({}), runs_(pool_), token_(random_name()), free_(limits.analyses) {
  route();
}

std::string Server::open(const std::string& host, int port) {
  port_ = std::to_string(connections_.open(host, port));
  host_ = host;
  const std::string shown = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host;
  return "http://" + authority(shown, port_) + "/" + token_ + "/";
}

std::size_t Server::serve_until_readable(int descriptor, const std::function<void()>& stopping) {
  static_cast<void>(queries());  // initialized by one thread
  connections_.take_until_readable(descriptor, [&] {
    stopping();
    const std::scoped_lock guard(lock_);
    for (const auto& [page, pending] : pending_)
      if (const auto requested = pending.lock()) requested->cut();
  });
  return runs_.stop_all();
}

/// Checks a request before its body is read.  \return false: rejected
bool Server::admit(const Request& request, Response& response) {
  const auto no = [&](int status, const char* message) {
    reject(response, status, message);
    return false;
  };
  if (request.get_header_value_count("Host") != 1 || !is_own(request.get_header_value("Host"), host_, port_))
    return no(403, "invalid Host header");
  if (const auto origin = header_of(request, "Origin"))
    if (*origin != "http://" + request.get_header_value("Host")) return no(403, "cross-origin request");
  // Navigation to the page itself is allowed from anywhere, such as from the link file: the URL contains the
  // token.
  const bool opens = request.method == "GET" && request.path == "/" + token_ + "/" &&
                     header_of(request, "Sec-Fetch-Mode") == "navigate" &&
                     header_of(request, "Sec-Fetch-Dest") == "document";
  if (const auto site = header_of(request, "Sec-Fetch-Site"))
    if (*site != "same-origin" && *site != "none" && !opens) return no(403, "cross-origin request");
  if (request.path.size() > longest_path) return no(414, "URL too long");
  const std::size_t slash = request.path.find('/', 1);
  const bool named = slash != std::string::npos && request.path.front() == '/';
  if (!same_secret(named ? request.path.substr(1, slash - 1) : std::string(), token_))
    return no(403, "the link is incomplete or belongs to a workbench that has ended");
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
    return no(405, "only GET, HEAD and POST are supported");
  if (request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding") ||
      request.has_header("Range"))
    return no(400, "transfer encodings, content encodings and ranges are not supported");
  const bool has_body =
      request.has_header("Content-Length") && request.get_header_value("Content-Length") != "0";
  if (request.method != "POST") return !has_body || no(400, "unexpected request body");
  const std::string type = request.get_header_value("Content-Type");
  if (type != "application/json" && type.rfind("application/json;", 0) != 0)
    return no(415, "the content type must be application/json");
  const std::string length = request.get_header_value("Content-Length");
  if (length.empty() || length.size() > 8 || length.find_first_not_of("0123456789") != std::string::npos)
    return no(411, "Content-Length is missing or invalid");
  if (std::stoul(length) > longest_body) {
    Connections::discard_body(std::stoul(length));  // browsers read no response before they have sent it all
    return no(413, "the files are too large: a request may have 4 MiB; use the command line");
  }
  Connections::admit_body(longest_body);
  return true;
}

void Server::route() {
  connections_.set_default_headers(headers_of_all());
  connections_.set_payload_max_length(longest_body);
  connections_.set_keep_alive_timeout(30);
  connections_.set_keep_alive_max_count(100'000);
  connections_.set_post_routing_handler(Connections::promise);
  connections_.set_pre_routing_handler([this](const Request& request, Response& response) {
    using Handled = httplib::Server::HandlerResponse;
    return admit(request, response) ? Handled::Unhandled : Handled::Handled;
  });
  const auto guarded = [this](void (Server::*handle)(const Request&, Response&)) {
    return [this, handle](const Request& request, Response& response) {
      Connections::begin_answer();
      try {
        (this->*handle)(request, response);
      } catch (const BadRequest& error) {
        reject(response, 400, error.what());
      } catch (const std::exception&) {
        reject(response, 503, "no process or memory available");
      }
    };
  };
  connections_.Get("/.*", guarded(&Server::get));
  connections_.Post("/.*", guarded(&Server::post));
}

void Server::get(const Request& request, Response& response) {
  const std::string path = request.path.substr(token_.size() + 2);
  if (const Asset* asset = asset_named(path.empty() ? "page.html" : path))
    return response.set_content(std::string(asset->text), asset->type);
  if (path == "report.css")
    return response.set_content(std::string(render::html_style()), "text/css; charset=utf-8");
  if (path == "report.js")
    return response.set_content(std::string(render::html_script()), "text/javascript; charset=utf-8");
  if (path == "api/questions")
    return show(response, {{"version", TAILBOUND_VERSION}, {"questions", queries()}});
  if (path == "api/runs") return show(response, {{"runs", runs_.list()}});
  if (path.rfind("api/runs/", 0) == 0) return show_run(path.substr(9), request, response);
  reject(response, 404, "not found");
}

void Server::show_run(const std::string& path, const Request& request, Response& response) {
  const std::size_t slash = path.find('/');
  const std::string name = path.substr(0, slash);
  if (slash != std::string::npos) {
    const std::string format = read_format(path.substr(slash + 1));
    if (const auto text = runs_.text(name, format)) return send_file(response, *text, format);
    return reject(response, 404, "unknown run, or no result in this format");
  }
  int seen = 0;
  if (const std::string last_seen = request.get_param_value("seen"); !last_seen.empty())
    std::from_chars(last_seen.data(), last_seen.data() + last_seen.size(), seen);
  const Json state = runs_.look(name, seen, request.has_param("asked"));
  if (state.is_null()) return reject(response, 404, "unknown run");
  show(response, state);
}

void Server::post(const Request& request, Response& response) {
  const std::string path = request.path.substr(token_.size() + 2);
  if (path == "api/ask") return answer_query(request, response, {});
  if (path.rfind("api/answer/", 0) == 0) return answer_query(request, response, read_format(path.substr(11)));
  if (path == "api/runs") {
    const auto name = runs_.begin(read_query(parsed(request.body)));
    if (name) return show(response, {{"run", *name}});
    return show(response, {{"error", {{"message", "too many simulations are running; stop one first"}}}});
  }
  constexpr std::string_view runs = "api/runs/", stop = "/stop";
  if (path.rfind(runs, 0) == 0 && path.size() > runs.size() + stop.size() &&
      path.compare(path.size() - stop.size(), stop.size(), stop) == 0) {
    if (runs_.stop(path.substr(runs.size(), path.size() - runs.size() - stop.size())))
      return show(response, {{"stopping", true}});
    return reject(response, 404, "unknown run");
  }
  reject(response, 404, "not found");
}

/// Answers as HTML for display, or as a download in `format`.
void Server::answer_query(const Request& request, Response& response,
                          const std::optional<std::string>& format) {
  const Query query = read_query(parsed(request.body));
  struct Place {
    std::counting_semaphore<1024>& free;
    bool had;
    ~Place() {
      if (had) free.release();
    }
  } place{free_, free_.try_acquire_for(timeout)};
  if (!place.had)
    return show(response, {{"busy", true}, {"error", {{"message", "busy with other queries; try again"}}}});
  const RequestOutcome outcome = outcome_of(query, format.value_or("html"));
  if (outcome.kind == RequestOutcome::Kind::cut) return show(response, {{"replaced", true}});
  Json shown = outcome_shown(outcome);
  if (format) {
    if (const auto text = text_of(outcome, *format)) return send_file(response, *text, *format);
    return show(response, shown);
  }
  if (outcome.kind == RequestOutcome::Kind::too_long) shown["too_long"] = true;
  shown["command_line"] = command_line(query);
  show(response, shown);
}

/// A new query of a page cancels its previous one.
RequestOutcome Server::outcome_of(const Query& query, const std::string& format) {
  const auto pending = std::make_shared<PendingRequest>(pool_.start_worker());
  std::string runner = query.page;
  {
    const std::scoped_lock guard(lock_);
    std::erase_if(pending_, [](const auto& entry) { return entry.second.expired(); });
    if (runner.empty()) runner = "\n" + std::to_string(++numbers_);
    if (const auto before = std::exchange(pending_[runner], pending).lock()) before->cut();
  }
  RequestOutcome outcome = pending->carry_out(note_of(query, {format}), pool_.limits().analysis);
  {
    // From here on it must not be cancelled: its process may soon work on another query.
    const std::scoped_lock guard(lock_);
    const auto own = pending_.find(runner);
    if (own != pending_.end() && own->second.lock() == pending) pending_.erase(own);
  }
  if (outcome.kind == RequestOutcome::Kind::answered && !outcome.note.head.value("last", true))
    pool_.rest(pending->stream());
  return outcome;
}

}  // namespace tailbound::serve
