/** The output of benchmarks: tables, JSON, plots, folders. */
package org.flowmon.bench.output;
