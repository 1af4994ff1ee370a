#include <catch2/catch.hpp>
#include <tailbound/render/drawing/formula.hpp>
#include <tailbound/render/drawing/typeset.hpp>

#include <string>

// Plain text of a terminal, typeset.

using namespace tailbound::render;

TEST_CASE("typeset: powers of ten have superscript exponents, and numbers do not break", "[render]") {
  CHECK(typeset_html("1e-15") == "10<sup>\u221215</sup>");
  CHECK(typeset_html("P(Q > 157) = 7.97e-16, at most 1e-15.") ==
        "P(Q &gt; 157) = 7.97\u00a0\u00d7\u00a010<sup>\u221216</sup>, at most 10<sup>\u221215</sup>.");
  CHECK(typeset_html("1.0e+06 packets") == "10<sup>6</sup> packets");
  CHECK(typeset_html("11e3") == "11\u00a0\u00d7\u00a010<sup>3</sup>");
  CHECK(typeset_html("-1e-5") == "\u221210<sup>\u22125</sup>");
}

TEST_CASE("typeset: signs become symbols, names stay unchanged", "[render]") {
  CHECK(typeset_html("a <= b, c >= d, 3 +- 1, -5, 8 x 8 mesh, a -> b") ==
        "a \u2264 b, c \u2265 d, 3 \u00b1 1, \u22125, 8\u00a0\u00d7\u00a08 mesh, a -&gt; b");
  for (const std::string plain :
       {"run-1e5.csv", "dir/1e5", "x1e5", "1e5x", "2026-11-28", "--drop", "1e5.csv", "e-5"})
    CHECK(typeset_html(plain) == plain);
  CHECK(typeset_html("ask `tailbound buffer --drop 1e-9 <x>` for it") ==
        "ask <code>tailbound buffer --drop 1e-9 &lt;x&gt;</code> for it");
  CHECK(typeset_html("an odd ` is one") == "an odd ` is one");
  CHECK(typeset_html("<b>&\"'") == "&lt;b&gt;&amp;&quot;&#39;");
}

TEST_CASE("typeset: known names stay as they are written, where they are whole words", "[render]") {
  const std::vector<std::string> names{"-1", "1e-9", "x<=y", "8 x 8", "q`r`s", ""};
  for (const std::string& name : names) CHECK(is_changed_by_typesetting(name) == !name.empty());
  CHECK(!is_changed_by_typesetting("a->b"));
  {
    const AsWritten kept(names);
    for (const std::string& name : names)
      CHECK(typeset_html("flow " + name + " -> " + name + ", " + name) ==
            html_escaped("flow " + name + " -> " + name + ", " + name));
    CHECK(typeset_html("-1e-5, -10, 1e-91, x<=yz") ==
          "\u221210<sup>\u22125</sup>, \u221210, 10<sup>\u221291</sup>, x\u2264yz");
    const AsWritten others({"-10"});
    CHECK(typeset_html("-10, -1") == "-10, \u22121");
  }
  CHECK(typeset_html("-1") == "\u22121");
}

TEST_CASE("typeset: exponents in SVG are raised, text after them is not", "[render]") {
  CHECK(typeset_svg("1e-15 of", 12) ==
        "10<tspan dy=\"-4.6\" font-size=\"9\">\u221215</tspan><tspan dy=\"4.6\"> of</tspan>");
  CHECK(typeset_width("1e-15", 12) < typeset_width("10000", 12));
  CHECK(typeset_width("WWWW", 12) > 3 * typeset_width("llll", 12));
}

TEST_CASE("typeset: lines respect the width, and no word is lost", "[render]") {
  const std::string text =
      "the minimum buffer of the output queue of a switch with sixteen inputs at load 0.9";
  std::string again;
  for (const std::string& line : typeset_lines(text, 12, 150)) {
    CHECK(typeset_width(line, 12) <= 150);
    again += (again.empty() ? "" : " ") + line;
  }
  CHECK(again == text);
  CHECK(typeset_lines("unbreakably", 12, 5).size() == 1);
  CHECK(typeset_lines("", 12, 100).empty());
}

TEST_CASE("formulas: fractions, powers and brackets with the usual precedence", "[render]") {
  CHECK(mathml("a + b*c")->find("<mi>a</mi><mo>+</mo><mrow><mi>b</mi><mo>\u2062</mo><mi>c</mi></mrow>") !=
        std::string::npos);
  CHECK(*mathml("1/(1 - rho)") ==
        "<math "
        "display=\"block\"><mrow><mfrac><mn>1</mn><mrow><mn>1</mn><mo>\u2212</mo><mi>\u03c1</mi></mrow></"
        "mfrac></mrow></math>");
  CHECK(*mathml("(a + b)^2") ==
        "<math "
        "display=\"block\"><mrow><msup><mrow><mo>(</mo><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mo>)</"
        "mo></mrow>"
        "<mn>2</mn></msup></mrow></math>");
  // -a^2 is -(a^2), a/b*c is (a c)/b, a^b^c is a^(b^c).
  CHECK(mathml("-a^2")->find("<mo>\u2212</mo><msup>") != std::string::npos);
  CHECK(mathml("a/b*c")->find("<mfrac><mrow><mi>a</mi><mo>\u2062</mo><mi>c</mi></mrow><mi>b</mi></mfrac>") !=
        std::string::npos);
  CHECK(mathml("a^b^c")->find("<msup><mi>a</mi><msup><mi>b</mi><mi>c</mi></msup></msup>") !=
        std::string::npos);
  CHECK(mathml("(a^b)^c")->find("<msup><mrow><mo>(</mo><msup>") != std::string::npos);
  CHECK(mathml("Q(z) = exp(x*z)")->find("<msup><mi>e</mi>") != std::string::npos);
  CHECK(mathml("P(Q=0) = 1 - k*p")
            ->find("<mi>P</mi><mo>(</mo><mi>Q</mi><mo>=</mo><mn>0</mn><mo>)</mo><mo>=</mo>") !=
        std::string::npos);
}

TEST_CASE("formulas: other text is left unchanged", "[render]") {
  for (const char* text : {"", "a +", "(a", "a)", "a b", "1 <= 2", "x := 3", "k is a whole number"})
    CHECK_FALSE(mathml(text));
  CHECK_FALSE(mathml(std::string(5000, '1')));
  CHECK_FALSE(mathml(std::string(500, '(') + "1" + std::string(500, ')')));
}
