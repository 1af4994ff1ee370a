\\ P(Q = n), n = 0 .. 400, of the slotted queue with 16 equal inputs at load 9/10 (Singh and Dally 2004,
\\ eq. (1)): expansion with 200 digits, printed with 40.
\\   gp -q -f slotted_queue.gp < /dev/null
default(realprecision, 200);
k = 16; rho = 9/10; p = rho/k;
A = (1 - p + p*z)^k;
Q = (1 - rho)*(z - 1)*A/(z - A + 0.*z + O(z^401));
v = Vec(1.*Q, 401);
default(format, "g.40");
print(v);
