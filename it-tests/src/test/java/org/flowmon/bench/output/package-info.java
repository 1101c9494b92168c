/** What benchmarks show and leave: tables, JSON, plots, folders. */
package org.flowmon.bench.output;
