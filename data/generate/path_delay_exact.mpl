maple_mode(1);
# Some ccdf rows of ../reference/path_delay.csv by a second method, in rational arithmetic: P(D > d) exactly, then 40 digits.
# 2-ary 3-tree, load 4/5, independent source arrivals, wait; rates written out. Giac in Maple mode:
#   giac path_delay_exact.mpl
Digits := 40;
A := (1 - r + r*z)^m:
W := normal(((1 - r*m)*(z - 1)*A/(z - A) - (1 - r*m))/(r*m*z)):
# random-root: d = 0, 20, 43
W1 := normal(subs(r = 2/5, m = 2, W)):
W2 := normal(subs(r = 1/5, m = 4, W)):
W3 := normal(subs(r = 1/10, m = 8, W)):
s := convert(series(W1*W2*W3^3/(1 - z), z = 0, 44), polynom):
[seq(evalf(1 - coeff(s, z, d)), d = [0, 20, 43])];
# nearest-ancestor: up links 3/5 over 2 sources, 2/5 over 4; down links 2/5 over 4, 3/5 over 6, 4/5 over 8; d = 0, 11, 30
U1 := normal(subs(r = 3/10, m = 2, W)):
U2 := normal(subs(r = 1/10, m = 4, W)):
D3 := normal(subs(r = 1/10, m = 4, W)):
D2 := normal(subs(r = 1/10, m = 6, W)):
D1 := normal(subs(r = 1/10, m = 8, W)):
s := convert(series((D1/4 + U1*D2*D1/4 + U1*U2*D3*D2*D1/2)/(1 - z), z = 0, 31), polynom):
[seq(evalf(1 - coeff(s, z, d)), d = [0, 11, 30])];
