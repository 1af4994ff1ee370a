\\ Latency T = H + D, H the number of queues on the packet's path: with nearest-ancestor routing H differs between
\\ classes, so a percentile of T is not H plus a percentile of D. 400 digits.
\\   gp -q -f path_delay_latency.gp < /dev/null
default(realprecision, 400);
read("path_delay_rules.gp");
read("path_delay_series.gp");
print("# Latency T = number of queues + queueing delay over a k-ary n-tree, nearest-ancestor routing; PARI/GP 2.15.2");
print("# percentile: the least whole t with P(T <= t) >= percentile %");
print("radix,levels,load,sources,delay,percentile,latency_slots");
{
  my(report(k, n, load, text, sources, occupancy, count) =
    my(classes = paths(k, n, load, sources, 1), total = vector(count));
    for(c = 1, #classes, my(p = delay_probabilities([classes[c]], occupancy, count, 0), H = #classes[c][2]);
      for(t = H, count - 1, total[t + 1] += p[t - H + 1]));
    my(s = survival(total));
    for(i = 1, #percents, print(k, ",", n, ",", text, ",", source_names[sources + 1], ",", delay_names[occupancy + 1],
      ",", percents[i], ",", least(s, percent_above[i]))));
  for(sources = 0, 1, for(occupancy = 0, 1,
    report(2, 3, 4/5, "0.8", sources, occupancy, 300);
    report(16, 3, 9/10, "0.9", sources, occupancy, 500);
    report(3, 4, 4/5, "0.8", sources, occupancy, 300);
    report(64, 2, 1/5, "0.2", sources, occupancy, 200)));
}
