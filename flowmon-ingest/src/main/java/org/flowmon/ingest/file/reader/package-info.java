/**
 * What every reader of a file is given and gives: options, the clock of arrivals, rejected lines,
 * the summary of a file.
 */
package org.flowmon.ingest.file.reader;
