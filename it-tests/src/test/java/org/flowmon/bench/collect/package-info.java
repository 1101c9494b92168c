/** {@code flowmon bench collect}: the collector while brokers are killed and come back. */
package org.flowmon.bench.collect;
