/**
 * Measures the two halves of aggregate functions and the table of the low level: the experiments of
 * Cormode et al., "Holistic UDAFs at Streaming Speeds" (SIGMOD 2004), sections 6 and 7, on one
 * thread.
 */
package org.flowmon.bench.udaf;
