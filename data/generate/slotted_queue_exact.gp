\\ The same, n = 0 .. 20, as fractions.
\\   gp -q -f slotted_queue_exact.gp < /dev/null
k = 16; rho = 9/10; p = rho/k;
A = (1 - p + p*z)^k;
print((1 - rho)*(z - 1)*A/(z - A + O(z^21)));
