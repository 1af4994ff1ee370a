\\ P(W > slots) and P(Q > slots) at hops 1 and 2 (and the others where they differ), random-root routing, independent
\\ source arrivals, and at every hop under nearest-ancestor routing for packets that turn at the top. 400 digits.
\\   gp -q -f path_delay_hops.gp < /dev/null
default(realprecision, 400);
read("path_delay_rules.gp");
read("path_delay_series.gp");
print("# Wait or occupancy of one hop of a k-ary n-tree: P(it > slots); PARI/GP 2.15.2, 400 digits, plain series; 40 shown");
print("# nearest-ancestor: the hops of packets that turn at the top level");
print("radix,levels,load,sources,routing,hop,delay,slots,value");
{
  my(report(k, n, load, text, sources, routing, count) =
    my(classes = paths(k, n, load, sources, routing), hops = classes[#classes][2], last = if(routing, #hops, 2));
    for(h = 1, last, for(occupancy = 0, 1,
      my(s = survival(delay_probabilities([[1, [hops[h]]]], occupancy, count, 0)), depths = [0, 3, 9, 15, 30]);
      for(i = 1, #depths, if(vecmin(s) <= 1/10^depths[i],
        my(d = if(i == 1, 0, least(s, 1/10^depths[i])));
        if(abs(s[d + 1]) > 1e-300,
          print(k, ",", n, ",", text, ",", source_names[sources + 1], ",", routing_names[routing + 1], ",", h, ",",
            delay_names[occupancy + 1], ",", d, ",", decimal(s[d + 1]))))))));
  report(16, 3, 9/10, "0.9", 0, 0, 500);
  report(16, 3, 4/5, "0.8", 0, 0, 400);
  report(4, 3, 3/5, "0.6", 0, 0, 300);
  report(64, 2, 1/5, "0.2", 0, 0, 200);
  report(3, 4, 4/5, "0.8", 0, 1, 400);
  report(3, 4, 4/5, "0.8", 1, 1, 400);
  report(2, 3, 49/50, "0.98", 0, 0, 1500);
}
