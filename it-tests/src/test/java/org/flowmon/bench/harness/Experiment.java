package org.flowmon.bench.harness;

/**
 * What an experiment does. Its words, options, axes, tables and plots are in its declaration. It is
 * public, with a public constructor without arguments.
 */
@FunctionalInterface
public interface Experiment {
  /** Measures, and gives rows and points to the run. */
  void run(Run run) throws Exception;
}
