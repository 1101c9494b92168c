/** Seals rows into a segment: their order, dictionaries, and the encoding of each column. */
@NullMarked
package org.flowmon.archive.segment.writer;

import org.jspecify.annotations.NullMarked;
