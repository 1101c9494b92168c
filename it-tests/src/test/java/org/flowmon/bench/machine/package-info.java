/** What benchmarks ask of the operating system: memory of processes, cached pages, other JVMs. */
package org.flowmon.bench.machine;
