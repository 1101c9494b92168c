/**
 * Runs experiments. An experiment is a declaration ({@code archive.yaml}, {@code live.yaml}, … in
 * {@code src/test/resources}: words of {@code --help}, options, axes, parameters, tables, plots)
 * and a class with its measured step ({@link org.flowmon.bench.harness.Experiment}). {@link
 * org.flowmon.bench.harness.Harness} makes a command of both.
 */
package org.flowmon.bench.harness;
