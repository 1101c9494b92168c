/**
 * {@code flowmon bench archive scale}: a large archive, built as checkpoints build it, and what its
 * queries take of time and memory in a JVM with a small heap ({@code docs/performance.md}).
 */
package org.flowmon.bench.scale;
