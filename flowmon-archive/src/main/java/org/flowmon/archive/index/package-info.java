/**
 * The sidecar of a segment ({@code docs/format/sidecar.md}): for each value of a column the rows
 * that hold it.
 */
@NullMarked
package org.flowmon.archive.index;

import org.jspecify.annotations.NullMarked;
