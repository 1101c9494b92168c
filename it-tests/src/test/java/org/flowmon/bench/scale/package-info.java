/**
 * {@code flowmon bench archive scale}: a large archive, built like one of checkpoints, and the time
 * and memory of its queries in a JVM with a small heap ({@code docs/performance.md}).
 */
package org.flowmon.bench.scale;
