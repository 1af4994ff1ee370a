\\ Probabilities of the delay by plain power series expansion, at the current precision; needs path_delay_rules.gp.

\\ The delay of one hop as a power series, count terms; exact where `exact` is set.
hop_series(hop, occupancy, count, exact) = {
  my(one = if(exact, 1, 1.), Z = 'z + O('z^(count + 4)));
  my(A = prod(i = 1, #hop, (one*(1 - hop[i][1]) + one*hop[i][1]*Z)^hop[i][2]));
  my(rho = one*hop_load(hop));
  my(Q = occupancy_of(Z, A, rho), skip = 1 - occupancy);  \\ W drops the term of Q = 0
  Ser(vector(count, d, polcoef(Q, d - 1 + skip)/if(occupancy, 1, rho)), 'z)
};
known = Map();
cached_series(hop, occupancy, count, exact) = {
  my(key = [hop, occupancy, count, exact], value);
  if(mapisdefined(known, key, &value), return(value));
  value = hop_series(hop, occupancy, count, exact);
  mapput(known, key, value); value
};
\\ P(D = d), d = 0 .. count - 1
delay_probabilities(classes, occupancy, count, exact) = {
  my(total = sum(c = 1, #classes, classes[c][1]*prod(h = 1, #classes[c][2],
       cached_series(classes[c][2][h], occupancy, count, exact))));
  vector(count, d, polcoef(total, d - 1))
};

\\ P(D > d), d = 0 .. #p - 1
survival(p) = { my(s = vector(#p), left = 1); for(d = 1, #p, left -= p[d]; s[d] = left); s };
\\ The smallest d with s[d + 1] <= target; an error if 300 digits cannot decide it.
least(s, target) = {
  for(d = 1, #s, if(abs(s[d] - target) < 1e-300, error("equality"));
    if(s[d] <= target, return(d - 1)));
  error("series too short")
};

\\ 40 significant digits
decimal(x) = strjoin(strsplit(Strprintf("%.39e", x), " "), "");

source_names = ["decoupled", "first-hop"];
routing_names = ["random-root", "nearest-ancestor"];
delay_names = ["wait", "occupancy"];
percents = ["50", "90", "99", "99.99", "99.9999", "99.9999999999"];
percent_above = [1/2, 1/10, 1/10^2, 1/10^4, 1/10^6, 1/10^12];
