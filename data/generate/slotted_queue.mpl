maple_mode(1);
# P(Q = n), n = 0 .. 60, of the slotted queue with 16 equal inputs at load 9/10 (Singh and Dally 2004,
# eq. (1)): exact expansion, then 40 digits. Maple reads this, and Giac in Maple mode:
#   giac slotted_queue.mpl
Digits := 40;
k := 16: rho := 9/10: p := rho/k:
A := (1 - p + p*z)^k:
Q := (1 - rho)*(z - 1)*A/(z - A):
s := convert(series(Q, z = 0, 61), polynom):
[seq(evalf(coeff(s, z, n)), n = 0 .. 60)];
