/**
 * The benchmarks' interface to the operating system: memory of processes, cached pages, other JVMs.
 */
package org.flowmon.bench.machine;
