/**
 * Blocks of flows for the reader's own analysis: chosen columns of an archive, decoded by several
 * threads, in time order if asked ({@link org.flowmon.archive.block.FlowScan}), and several such
 * sources as one ({@link org.flowmon.archive.block.TimeMerge}). {@code docs/api.md} has an analysis
 * in 40 lines.
 */
@NullMarked
package org.flowmon.archive.block;

import org.jspecify.annotations.NullMarked;
