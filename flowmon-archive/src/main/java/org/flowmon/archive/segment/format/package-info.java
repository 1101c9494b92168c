/**
 * The bytes of a segment file (docs/format/segment.md): footer, page tables, compression of pages
 * and deltas.
 */
@NullMarked
package org.flowmon.archive.segment.format;

import org.jspecify.annotations.NullMarked;
