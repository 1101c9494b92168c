/**
 * The description of a segment: its properties after sealing, its times and order, the origin of
 * its rows, and the options of sealing.
 */
@NullMarked
package org.flowmon.archive.segment;

import org.jspecify.annotations.NullMarked;
