% The peer: the same blocks solved by BuTools (its Matlab part, which calls SMCSolver), in GNU Octave.
%
%   octave-cli --path .../butools/Matlab/mam:.../SMCSolver butools.m K LEVELS [METHOD]
%
% K sources, load 0.6, mean burst 16. Prints seconds of processor time (the least of three) for the blocks, G and the stationary
% vector, then "level tail": P(Q > level) as the sum of the levels above, which is what the vector can say best.
warning('off', 'all');
global BuToolsVerbose;
BuToolsVerbose = false;
arguments = argv();
k = str2double(arguments{1});
levels = str2double(arguments{2});
method = 'CR';
if numel(arguments) > 2
  method = arguments{3};
end

function p = binomial(n, q)
  j = 0:n;
  p = exp(gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1) + j * log(q) + (n - j) * log1p(-q));
end

% D_b(i, j) = Binomial(i, 1 / k)(b) P(i -> j); load 0.6 of a source that sends while ON.
function blocks = make_blocks(k)
  beta = 1 / 16;
  alpha = beta * 0.6 / 0.4;
  change = zeros(k + 1);
  for i = 0:k
    change(i + 1, :) = conv(binomial(i, 1 - beta), binomial(k - i, alpha));
  end
  change = change ./ sum(change, 2);
  sent = zeros(k + 1);
  for i = 0:k
    p = binomial(i, 1 / k);
    sent(i + 1, 1:(i + 1)) = p / sum(p);
  end
  blocks = cell(1, k + 1);
  for b = 0:k
    blocks{b + 1} = sent(:, b + 1) .* change;
  end
end

best = inf(1, 3);
for run = 1:3
  start = cputime(); D = make_blocks(k); best(1) = min(best(1), cputime() - start);
  start = cputime(); G = MG1FundamentalMatrix(D, 1e-14, 50, method); best(2) = min(best(2), cputime() - start);
  start = cputime(); p = MG1StationaryDistr(D, D, G, levels); best(3) = min(best(3), cputime() - start);
end
printf('k %d, %s: blocks %.3g s, G %.3g s, vector %.3g s; row sums of G off by %.2g, least entry %.2g\n', k, method, ...
       best, max(abs(sum(G, 2) - 1)), min(G(:)));
mass = sum(reshape(p, k + 1, []), 1);
printf('%d levels; the mass left is %.3g\n', numel(mass), 1 - sum(mass));
above = fliplr(cumsum(fliplr(mass)));
complement = 1 - cumsum(mass);
for n = 0:(numel(mass) - 2)
  printf('%d %.17g %.17g %.17g\n', n, above(n + 2), complement(n + 1), mass(n + 1));
end
