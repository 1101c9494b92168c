package org.flowmon.fuzz;

import java.util.List;

/**
 * Something that reads bytes from outside, as a fuzzer drives it. What it throws is a finding;
 * errors that the format documents are caught by the target itself.
 */
interface FuzzTarget {
  /** What it is called on the command line: lower case, digits and hyphens. */
  String name();

  /** What it reads and what is checked, in one line. */
  String about();

  /** Valid inputs to begin with. */
  List<byte[]> seeds() throws Exception;

  /**
   * Takes one input.
   *
   * @throws Exception for what must not be (errors do as well): the input is then a finding
   */
  void run(byte[] input) throws Exception;

  /** Bytes that an input may have allocated at most in the calling thread. */
  default long allocationLimit(byte[] input) {
    return (8L << 20) + 64L * input.length;
  }

  /** Nanoseconds of CPU that an input may take in the calling thread. */
  default long cpuLimit(byte[] input) {
    return 50_000_000L + 1_000_000L * (input.length / 1024 + 1);
  }
}
