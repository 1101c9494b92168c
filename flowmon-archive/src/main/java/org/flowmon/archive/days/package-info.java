/**
 * Sums by source and by destination for each UTC day, over many segments ({@code
 * docs/format/days.md}). Derived from the segments; their loss or damage changes no answer.
 */
@NullMarked
package org.flowmon.archive.days;

import org.jspecify.annotations.NullMarked;
