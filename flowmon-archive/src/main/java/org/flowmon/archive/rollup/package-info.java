/** Sums by address and hour in a sidecar ({@code docs/format/sidecar.md}). */
@NullMarked
package org.flowmon.archive.rollup;

import org.jspecify.annotations.NullMarked;
