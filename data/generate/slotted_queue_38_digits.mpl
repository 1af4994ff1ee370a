maple_mode(1);
# The same expansion in floating point with Digits := 38, n = 0 .. 400: the result of expanding Q(z)
# without checking the precision. The constant term of 1 - A(1) is not 0 after rounding, so the error does not fall
# with n while the probabilities do.
#   giac slotted_queue_38_digits.mpl
Digits := 38;
k := 16: rho := evalf(9/10): p := rho/k:
A := expand((1 - p + p*z)^k):
Q := (1 - rho)*(z - 1)*A/(z - A):
series(Q, z = 0, 400);
