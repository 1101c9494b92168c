/** Seals rows into a segment: their order, dictionaries, and the encoding of each column. */
package org.flowmon.archive.segment.writer;
