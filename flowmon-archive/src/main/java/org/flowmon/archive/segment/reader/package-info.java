/**
 * Reads sealed segments: values of columns in place or page by page, chosen rows, time keys,
 * verification and footprint.
 */
@NullMarked
package org.flowmon.archive.segment.reader;

import org.jspecify.annotations.NullMarked;
