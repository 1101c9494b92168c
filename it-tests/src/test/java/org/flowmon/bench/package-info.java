/**
 * {@code flowmon bench}: how fast the parts are on this machine. Benchmarks and experiments are no
 * part of what is shipped: a checkout has them, with the tests of the whole.
 */
package org.flowmon.bench;
