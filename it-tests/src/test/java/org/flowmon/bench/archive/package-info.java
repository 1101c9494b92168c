/**
 * The workload of {@code flowmon bench archive}: rows, queries, and the loop that measures any
 * {@link org.flowmon.bench.archive.BenchSystem} by them.
 */
package org.flowmon.bench.archive;
