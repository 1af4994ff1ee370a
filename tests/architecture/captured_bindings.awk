# Finds structured bindings captured by lambdas, which g++ 12 accepts and clang 14 does not. Prints file:line:source.
#
#   awk -f captured_bindings.awk FILE...
#
# A name is captured if it is in the capture list of a lambda, or used in its body, is declared by a binding outside, and
# is not redeclared inside by an init-capture such as [a = a], a parameter, or anything like `type name`. The script reads
# tokens, not C++: it misses a lambda within a capture list, and takes `int b, a;` as a declaration of b only.

FNR == 1 { begin_file() }
{ source[FNR] = $0; read_line($0) }

function begin_file() {
  braces = parens = levels = known = headers = waiting = 0
  in_comment = in_raw = in_directive = in_attribute = in_captures = in_binding = 0
  opened_at[0] = 0  # parentheses open where the block began
  before = before2 = before3 = token = ""
  split("", source)
}

# --- tokens -------------------------------------------------------------------------------------------------

function read_line(rest,    at, word) {
  if (!in_raw && !in_comment && (in_directive || rest ~ /^[ \t]*#/)) {
    in_directive = rest ~ /\\$/
    return
  }
  while (rest != "") {
    if (in_comment) {
      at = index(rest, "*/")
      if (at == 0) return
      in_comment = 0
      rest = substr(rest, at + 2)
    } else if (in_raw) {
      at = index(rest, raw_end)
      if (at == 0) return
      in_raw = 0
      rest = substr(rest, at + length(raw_end))
      take("\"")
    } else if (match(rest, /^[ \t]+/)) {
      rest = substr(rest, RLENGTH + 1)
    } else if (rest ~ /^\/\//) {
      return
    } else if (rest ~ /^\/\*/) {
      in_comment = 1
      rest = substr(rest, 3)
    } else if (match(rest, /^(u8|u|U|L)?R"[^(]*\(/)) {
      raw_end = substr(rest, 1, RLENGTH - 1)
      sub(/^[^"]*"/, "", raw_end)
      raw_end = ")" raw_end "\""
      in_raw = 1
      rest = substr(rest, RLENGTH + 1)
    } else if (match(rest, /^"([^"\\]|\\.)*"/) || match(rest, /^'([^'\\]|\\.)*'/)) {
      rest = substr(rest, RLENGTH + 1)
      take("\"")
    } else if (match(rest, /^[0-9]([0-9A-Za-z_.']|[eEpP][+-])*/)) {
      rest = substr(rest, RLENGTH + 1)
      take("0")
    } else {
      if (match(rest, /^[A-Za-z_][A-Za-z_0-9]*/) || match(rest, /^(->|::|&&|\|\||==|!=|<=|>=|\.\.\.|\[\[)/))
        at = RLENGTH
      else
        at = 1
      word = substr(rest, 1, at)
      rest = substr(rest, at + 1)
      take(word)
    }
  }
}

# A token is evaluated when the next one is known.
function take(next_token) {
  if (token != "") judge(next_token)
  before3 = before2
  before2 = before
  before = token
  token = next_token
  token_line = FNR
}

function is_name(word) { return word ~ /^[A-Za-z_]/ }
function ends_value(word) {
  return word ~ /^[)\]"0]/ || (is_name(word) && word !~ /^(return|co_return|co_yield|case|else|throw|in)$/)
}

# --- what tokens mean ---------------------------------------------------------------------------------------

function judge(following) {
  if (in_attribute) {
    if (token == "]" && before == "]") in_attribute = 0
    return
  }
  if (token == "[[") {
    in_attribute = 1
    return
  }
  if (in_binding) {
    if (token == "]") in_binding = 0
    else if (is_name(token)) declare(token, 1)
    return
  }
  if (in_captures) {
    captured(following)
    return
  }
  if (token == "[") {
    if (follows_auto()) in_binding = 1
    else if (!ends_value(before)) {
      in_captures = 1
      subscripts = 0
      begin_lambda()
    }
  } else if (token == "(") {
    ++parens
  } else if (token == ")") {
    --parens
    drop_lambdas()
    header_closed()
  } else if (token == "{") {
    opened_at[++braces] = parens
    body_begins()
  } else if (token == "}") {
    close_block(following)
  } else if (token == ";") {
    drop_lambdas()
    statement_ends()
  } else if (is_name(token)) {
    name(following)
  }
}

function follows_auto() {
  return before == "auto" || (before ~ /^&&?$/ && (before2 == "auto" || (before2 == "const" && before3 == "auto")))
}

# --- scopes -------------------------------------------------------------------------------------------------

# Stack of names: declared[i] by a binding or not, with the level of its lambda, until the block of that brace depth ends,
# or the statement of a header such as for (...).
function declare(word, by_binding) {
  ++known
  declared[known] = word
  binding[known] = by_binding
  level[known] = levels
  block[known] = braces
  header[known] = 0
  if (parens > opened_at[braces]) {
    if (!headers || header_braces[headers] != braces || header_parens[headers] != opened_at[braces]) {
      ++headers
      header_braces[headers] = braces
      header_parens[headers] = opened_at[braces]
      header_open[headers] = 1
    }
    header[known] = headers
  }
}

# The innermost declaration of the name, 0 if none is known.
function lookup(word,    i) {
  for (i = known; i > 0; --i)
    if (declared[i] == word) return i
  return 0
}

function header_closed() {
  if (headers && header_open[headers] && header_braces[headers] == braces && header_parens[headers] == parens)
    header_open[headers] = 0
}

function statement_ends() {
  while (headers && !header_open[headers] && header_braces[headers] == braces && header_parens[headers] == parens)
    drop_header()
}

function drop_header() {
  while (known && header[known] >= headers) --known
  --headers
}

function close_block(following) {
  if (braces == 0) return
  while (headers && header_braces[headers] >= braces) drop_header()
  while (known && block[known] >= braces) --known
  parens = opened_at[braces--]
  while (levels && body_braces[levels] > braces) --levels
  while (waiting && waiting_braces[waiting] > braces) --waiting
  if (following != "else") statement_ends()
}

# --- lambdas ------------------------------------------------------------------------------------------------

# Between its [ and its { a lambda waits for its body, where its declarations are in scope.
function begin_lambda() {
  ++waiting
  waiting_braces[waiting] = braces
  waiting_parens[waiting] = parens
  own[waiting] = ""
}

function captured(following,    i) {
  if (token ~ /^[(\[{]$/) ++subscripts
  else if (token ~ /^[)}]$/) --subscripts
  else if (token == "]" && subscripts-- == 0) in_captures = 0
  else if (is_name(token) && before !~ /^(\.|->|::)$/) {
    if (subscripts == 0 && following == "=" && before ~ /^[\[,&]$/) own[waiting] = own[waiting] " " token
    else {
      i = lookup(token)
      if (i && binding[i] && (level[i] < levels || (subscripts == 0 && before ~ /^[\[,&]$/ && following ~ /^[\],]$/)))
        report()
    }
  }
}

# Not a lambda after all, or one without a body: an array or a subscript.
function drop_lambdas() {
  while (waiting && waiting_braces[waiting] == braces &&
         (parens < waiting_parens[waiting] || (token == ";" && parens == waiting_parens[waiting])))
    --waiting
}

function body_begins(    count, words, i) {
  if (!waiting || waiting_braces[waiting] != braces - 1 || waiting_parens[waiting] != parens) return
  body_braces[++levels] = braces
  count = split(own[waiting--], words, " ")
  for (i = 1; i <= count; ++i) declare(words[i], 0)
}

# --- names --------------------------------------------------------------------------------------------------

function is_type_end(word) {
  return (is_name(word) &&
          word !~ /^(return|co_return|co_yield|co_await|case|else|throw|do|goto|new|delete|sizeof|not|and|or)$/)
}

function name(following,    i) {
  if (before ~ /^(\.|->|::)$/ || following == "::") return
  # A parameter of a lambda whose body is still to come.
  if (waiting && waiting_braces[waiting] == braces && parens == waiting_parens[waiting] + 1) {
    if (following ~ /^[,)=]$/ && (is_type_end(before) || before ~ /^(&|&&|\*|>|\.\.\.)$/))
      own[waiting] = own[waiting] " " token
    return
  }
  if (is_type_end(before) || (before ~ /^(&|&&|\*)$/ && (is_type_end(before2) || before2 == ">") && following ~ /^[=:]$/) ||
      (before == ">" && following ~ /^[={:]$/)) {
    if (lookup(token)) declare(token, 0)
    return
  }
  i = lookup(token)
  if (i && binding[i] && level[i] < levels) report()
}

function report() {
  if (reported[FILENAME, token_line, token]++) return
  printf "%s:%d:%s (%s)\n", FILENAME, token_line, source[token_line], token
}
