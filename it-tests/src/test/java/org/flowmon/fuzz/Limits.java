package org.flowmon.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/**
 * Runs inputs and measures what they take of this thread: an input that allocates or computes more
 * than its target allows is a finding. It is run again before it counts as one, as the first runs
 * load classes and compile.
 */
final class Limits {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int TRIES = 4;

  private Limits() {}

  /** Runs one input. */
  static void check(FuzzTarget target, byte[] input) throws Exception {
    long allocated = Long.MAX_VALUE;
    long nanos = Long.MAX_VALUE;
    long allocationLimit = target.allocationLimit(input);
    long cpuLimit = target.cpuLimit(input);
    for (int i = 0; i < TRIES && (allocated > allocationLimit || nanos > cpuLimit); i++) {
      long thread = Thread.currentThread().getId();
      long allocatedBefore = THREADS.getThreadAllocatedBytes(thread);
      long nanosBefore = THREADS.getCurrentThreadCpuTime();
      target.run(input);
      nanos = Math.min(nanos, THREADS.getCurrentThreadCpuTime() - nanosBefore);
      allocated = Math.min(allocated, THREADS.getThreadAllocatedBytes(thread) - allocatedBefore);
    }
    if (allocated > allocationLimit) {
      throw new AssertionError(
          target.name()
              + ": "
              + input.length
              + " bytes of input allocated "
              + allocated
              + " bytes, expected at most "
              + allocationLimit);
    }
    if (nanos > cpuLimit) {
      throw new AssertionError(
          target.name()
              + ": "
              + input.length
              + " bytes of input took "
              + nanos / 1000
              + " us of CPU, expected at most "
              + cpuLimit / 1000);
    }
  }
}
