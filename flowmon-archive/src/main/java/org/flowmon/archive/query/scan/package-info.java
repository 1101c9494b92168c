/**
 * Reads segments: plans the path of each, once it is open, and runs the operators that read and
 * filter rows.
 */
@NullMarked
package org.flowmon.archive.query.scan;

import org.jspecify.annotations.NullMarked;
