/**
 * Measures the whole live path: a broker as a separate process, a filled topic, the job, its
 * reports. Also measures the low level's queries alone.
 */
package org.flowmon.bench.live;
