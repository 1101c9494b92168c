/**
 * The inputs and outputs of all file readers: options, the clock of arrivals, rejected lines, the
 * summary of a file.
 */
@NullMarked
package org.flowmon.ingest.file.reader;

import org.jspecify.annotations.NullMarked;
