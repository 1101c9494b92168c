/**
 * The bytes of a segment file (docs/format/segment.md): footer, page tables, compression of pages
 * and deltas.
 */
package org.flowmon.archive.segment.format;
