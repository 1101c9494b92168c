package org.flowmon.bench.experiment;

import java.lang.management.ManagementFactory;

/** The accumulated time and CPU time of one thread's task. */
public final class Spent {
  private long nanos;
  private long cpuNanos;
  private long begun;
  private long cpuBegun;

  void begin() {
    begun = System.nanoTime();
    cpuBegun = cpu();
  }

  void end() {
    nanos += System.nanoTime() - begun;
    cpuNanos += cpu() - cpuBegun;
  }

  private static long cpu() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  public double seconds() {
    return nanos / 1e9;
  }

  public double cpuSeconds() {
    return cpuNanos / 1e9;
  }
}
