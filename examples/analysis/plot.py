"""Plots the levels and the voice of `anechoic process --frames FRAMES.npz`.

usage: plot.py FRAMES.npz PICTURE.png     (needs numpy and matplotlib)
"""
import sys

import numpy
from matplotlib import pyplot

frames = numpy.load(sys.argv[1])
time = frames["time_s"]
figure, axes = pyplot.subplots(figsize=(9, 3), layout="constrained")
for column in ("microphone_dbfs", "played_dbfs", "processed_dbfs"):
    levels = numpy.where(frames[column] > -100, frames[column], numpy.nan)
    axes.plot(time, levels, label=column, linewidth=0.9)
axes.fill_between(time, -100, 0, where=frames["voice"], alpha=0.15, color="black", label="voice")
axes.set(xlabel="time_s", ylabel="dBFS", ylim=(-100, 0), xlim=(time[0], time[-1]))
axes.legend(ncols=4, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False)
figure.savefig(sys.argv[2], dpi=90)
