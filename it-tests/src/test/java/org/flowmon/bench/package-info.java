/**
 * {@code flowmon bench}: measures the speed of the parts on this machine. Benchmarks and
 * experiments are not shipped: a checkout has them, with the integration tests.
 */
package org.flowmon.bench;
