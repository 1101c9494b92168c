/**
 * The inputs and outputs of all file readers: options, the clock of arrivals, rejected lines, the
 * summary of a file.
 */
package org.flowmon.ingest.file.reader;
