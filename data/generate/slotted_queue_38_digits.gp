\\ The same expansion in floating point with 38 digits: the tail is lost.
\\   gp -q -f slotted_queue_38_digits.gp < /dev/null
default(realprecision, 38);
k = 16; rho = 0.9; p = rho/k;
A = (1 - p + p*z)^k;
Q = (1 - rho)*(z - 1)*A/(z - A + O(z^401));
print(Q);
