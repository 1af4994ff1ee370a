# Draws wormhole_channels.png from wormhole_channels.csv, in the folder where it is called (see main.cpp).
set terminal pngcairo size 1400,520
set output "wormhole_channels.png"
set datafile separator ","
set multiplot layout 1,3 title "8 x 8 mesh, 32 flits: each channel by the model and simulated, at 50, 80, 90 % of the simulated saturation load"
data = "wormhole_channels.csv"
shares = "0.5 0.8 0.9"
at(share, value) = column("fraction") == share + 0 ? value : NaN
set size square
set key top left
set grid lc rgb "#e0e0e0"
set xlabel "simulated"
set ylabel "model"
set logscale xy
set title "mean wait before it [lengths of a message]"
set xrange [0.01:3]; set yrange [0.01:3]
plot x lc rgb "#999999" notitle, for [i=1:3] data using (at(word(shares, i), column("wait_simulated"))):(column("wait_model")) \
  pt 7 ps 0.45 lc i title sprintf("%.0f %%", 100 * word(shares, i))
set title "mean holding time [lengths of a message]"
set xrange [1:4]; set yrange [1:4]
set xtics (1,1.5,2,3,4); set ytics (1,1.5,2,3,4)
plot x lc rgb "#999999" notitle, for [i=1:3] data using (at(word(shares, i), column("holding_simulated"))):(column("holding_model")) \
  pt 7 ps 0.45 lc i notitle
set title "variance of the holding time"
set xrange [0.005:5]; set yrange [0.005:5]; set xtics auto; set ytics auto
plot x lc rgb "#999999" notitle, for [i=1:3] data using (at(word(shares, i), column("variance_simulated"))):(column("variance_model")) \
  pt 7 ps 0.45 lc i notitle
unset multiplot
