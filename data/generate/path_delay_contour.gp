\\ The ccdf rows of ../reference/path_delay.csv by a second method, without series: S(z) = (1 - D(z))/(1 - z) generates
\\ P(D > d); D(z) is evaluated in closed form at N points of a circle of radius r < 1, and the coefficient read off by
\\ Cauchy's formula. Aliasing adds P(D > d + N) r^N + ..., below 1e-150 with r^N = 1e-150.
\\   gp -q -f path_delay_contour.gp < /dev/null
\\ prints the number of rows and the largest relative difference.
default(realprecision, 400);
read("path_delay_rules.gp");
read("path_delay_series.gp");

delay_at(classes, occupancy, z) = {
  my(hop_at(hop) = delay_of(z, prod(i = 1, #hop, (1 - hop[i][1] + hop[i][1]*z)^hop[i][2]), hop_load(hop), occupancy));
  sum(c = 1, #classes, classes[c][1]*prod(h = 1, #classes[c][2], hop_at(classes[c][2][h])))
};
ccdf(classes, occupancy, d) = {
  my(N = 2*d + 64, r = 10.^(-150/N), turn = exp(2*Pi*I/N), total = 0);
  for(j = 0, N - 1, my(z = r*turn^j);
    total += (1 - delay_at(classes, occupancy, z))/(1 - z)*turn^(-j*d));
  real(total)/(N*r^d)
};
position(names, name) = for(i = 1, #names, if(names[i] == name, return(i - 1)));
{
  my(lines = readstr("../reference/path_delay.csv"), rows = 0, worst = 0);
  for(i = 1, #lines, my(f = strsplit(lines[i], ","));
    if(f[1] == "ccdf" && eval(f[8]) < 400,
      my(part = strsplit(f[4], "."), load = eval(strjoin(part, ""))/10^#part[2]);
      my(classes = paths(eval(f[2]), eval(f[3]), load, position(source_names, f[5]), position(routing_names, f[6])));
      my(value = ccdf(classes, position(delay_names, f[7]), eval(f[8])), listed = eval(f[9]));
      worst = max(worst, abs(value/listed - 1)); rows++));
  print(rows, " rows, largest relative difference ", Strprintf("%.2e", worst));
}
