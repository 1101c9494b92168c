/** {@code flowmon bench collect}: the collector while brokers are killed and restarted. */
package org.flowmon.bench.collect;
