/**
 * Detects a file's format by its content, plain or compressed; maps its names to columns; gives the
 * reasons for rejected lines.
 */
@NullMarked
package org.flowmon.ingest.file.format;

import org.jspecify.annotations.NullMarked;
