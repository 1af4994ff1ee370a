\\ End-to-end queueing delay of a k-ary n-tree under uniform traffic (Singh and Dally 2004, sections III-V):
\\ the sources of the queues on a path, and the resulting distributions. Read by the other path_delay scripts.
\\
\\ A hop is a list of [rate, count]: count sources, each sending with probability rate in a slot.
\\ sources: 0 "decoupled" (independent), 1 first-hop;  routing: 0 random-root, 1 nearest-ancestor.

\\ Probability that the lowest level common to source and destination is l; the source may be its own destination.
turn_share(k, n, l) = if(l == 1, k, k^l - k^(l-1))/k^n;
turns_from(k, n, l) = sum(i = l, n, turn_share(k, n, i));

\\ The up link of level j, taken by packets that turn above j.
up_hop(k, n, load, sources, j) = {
  my(rate = load*turns_from(k, n, j + 1));
  if(sources, [[rate/k, k]], [[rate/k^j, k^j]])
};

\\ The down link from level j, nearest-ancestor routing. First-hop: the links from below carry the packets that turn
\\ here (not from the child that they go to, except for leaves), the k links from above the rest.
down_hop(k, n, load, sources, j) = {
  my(count = if(j == 1, k^n, k^n - k^(j-1)));
  if(!sources, return([[load*turns_from(k, n, j)/count, count]]));
  my(below = if(j == 1, k, k - 1));
  my(hop = [[load*turn_share(k, n, j)/below, below]]);
  if(j < n, concat(hop, [[load*turns_from(k, n, j + 1)/k, k]]), hop)
};

\\ The classes of packets: [share, list of hops].
paths(k, n, load, sources, routing) = {
  if(routing == 0,
    return([[1, vector(2*n - 1, h, my(m = if(sources, k, k^min(h, n))); [[load/m, m]])]]));
  vector(n, l, [turn_share(k, n, l),
    concat(vector(l - 1, j, up_hop(k, n, load, sources, j)),
           vector(l, i, down_hop(k, n, load, sources, l + 1 - i)))])
};

hop_load(hop) = sum(i = 1, #hop, hop[i][1]*hop[i][2]);

\\ Q(z), eq. (1) of the paper, and W(z) = (Q(z) - (1 - rho))/(rho z), for A(z) already evaluated at z: z and A may be
\\ numbers, power series or polynomials.
occupancy_of(z, A, rho) = (1 - rho)*(z - 1)*A/(z - A);
delay_of(z, A, rho, occupancy) = {
  my(Q = occupancy_of(z, A, rho));
  if(occupancy, Q, (Q - (1 - rho))/(rho*z))
};

\\ E[D], exactly: the coefficient of x in D(1 + x).
mean_delay(classes, occupancy) = {
  my(hop_mean(hop) = my(X = 'x + O('x^6), A = prod(i = 1, #hop, (1 + hop[i][1]*X)^hop[i][2]));
    polcoef(delay_of(1 + X, A, hop_load(hop), occupancy), 1));
  sum(c = 1, #classes, classes[c][1]*sum(h = 1, #classes[c][2], hop_mean(classes[c][2][h])))
};
