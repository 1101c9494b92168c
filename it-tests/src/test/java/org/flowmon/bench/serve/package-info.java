/** {@code flowmon bench serve}: how fast a server answers, and what it bears meanwhile. */
@org.jspecify.annotations.NullMarked
package org.flowmon.bench.serve;
