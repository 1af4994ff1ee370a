\\ End-to-end queueing delay D: P(D > d), percentiles and means. Plain power series expansion of D(z) with 400 digits;
\\ P(D > d) = 1 - P(D <= d), which leaves more than 250 correct digits of a tail of 1e-100, 100 of one of 1e-290.
\\   gp -q -f path_delay.gp < /dev/null
\\ "percentile": the smallest integer d with P(D <= d) >= p. "mean": E[D], exact. 40 digits shown.
\\ Rows whose percentile is met with equality are decided in rational arithmetic (the last block).
default(parisizemax, 10^9);
default(realprecision, 400);
read("path_delay_rules.gp");
read("path_delay_series.gp");

row(question, c, argument, value) = {
  print(question, ",", c[1], ",", c[2], ",", c[4], ",", source_names[c[5] + 1], ",", routing_names[c[6] + 1], ",",
        delay_names[c[7] + 1], ",", argument, ",", value)
};

\\ c = [radix, levels, load, load as text, sources, routing, occupancy]; count: terms of the series; depths: a row
\\ P(D > d) for the smallest d at which it is <= 10^-depth; starting with 0, also the mean and the percentiles.
report(c, count, depths) = {
  my(classes = paths(c[1], c[2], c[3], c[5], c[6]));
  my(s = survival(delay_probabilities(classes, c[7], count, 0)));
  if(depths[1] == 0, row("mean", c, "", mean_delay(classes, c[7]));
    for(i = 1, #percents, row("percentile", c, percents[i], least(s, percent_above[i]))));
  for(i = 1, #depths, my(d = if(depths[i] == 0, 0, least(s, 1/10^depths[i])));
    row("ccdf", c, d, decimal(s[d + 1])));
};

print("# Queueing delay over a k-ary n-tree, uniform traffic; PARI/GP 2.15.2, 400 digits, plain series; 40 digits shown");
print("# ccdf: P(D > argument slots); percentile: the least whole d with P(D <= d) >= argument %; mean: E[D] [slots]");
print("question,radix,levels,load,sources,routing,delay,argument,value");
deep = [0, 2, 6, 12, 20, 30];
{
  for(sources = 0, 1, for(routing = 0, 1, for(occupancy = 0, 1,
    my(r(k, n, load, text, count, depths) = report([k, n, load, text, sources, routing, occupancy], count, depths));
    r(2, 3, 4/5, "0.8", 300, deep);
    r(4, 3, 3/5, "0.6", 300, deep);
    r(16, 3, 9/10, "0.9", 700, deep);
    r(3, 4, 4/5, "0.8", 400, deep);
    r(64, 2, 1/5, "0.2", 200, deep))));
  my(once(k, n, load, text, sources, routing, occupancy, count, depths) =
    report([k, n, load, text, sources, routing, occupancy], count, depths));
  once(16, 1, 9/10, "0.9", 0, 0, 0, 500, deep);
  once(16, 1, 9/10, "0.9", 0, 0, 1, 500, deep);
  once(16, 1, 1/5, "0.2", 0, 1, 0, 200, deep);
  once(16, 3, 1/5, "0.2", 0, 0, 0, 200, deep);
  once(16, 3, 3/5, "0.6", 0, 0, 0, 300, deep);
  once(16, 3, 4/5, "0.8", 0, 0, 0, 400, deep);
  once(64, 2, 9/10, "0.9", 0, 1, 0, 700, deep);
  once(2, 3, 49/50, "0.98", 0, 0, 0, 1500, [0, 2, 6, 12, 20]);
  once(16, 3, 9/10, "0.9", 0, 0, 0, 1500, [60, 100]);
  once(4, 3, 3/5, "0.6", 1, 1, 1, 700, [60, 100]);
  \\ Deep and long enough that sums of doubles need a tilt.
  once(8, 2, 7/10, "0.7", 0, 0, 0, 1200, [0, 20, 220, 290]);
  once(8, 2, 7/10, "0.7", 1, 1, 1, 1200, [0, 20, 220, 290]);
  once(2, 2, 49/50, "0.98", 0, 0, 0, 5000, [0, 6, 100]);
}

\\ Equality: P(Q = 0) = 1 - rho, so P(D <= 0) = p exactly.
{
  my(met(c, percent, p) = my(q = delay_probabilities(paths(c[1], c[2], c[3], c[5], c[6]), c[7], 4, 1), d = 0, below = q[1]);
    while(below < p, d++; below += q[d + 1]);
    if(below != p, error("no equality"));
    row("percentile", c, percent, d));
  met([16, 1, 9/10, "0.9", 0, 0, 1], "10", 1/10);
  met([16, 1, 1/2, "0.5", 0, 0, 1], "50", 1/2);
  met([2, 3, 4/5, "0.8", 1, 0, 1], "0.032", 32/100000);
}
